"""Training of adapters, readout heads and exits."""
