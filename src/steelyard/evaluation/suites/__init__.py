"""One file for each published set; `registry.SUITES` names them all."""
