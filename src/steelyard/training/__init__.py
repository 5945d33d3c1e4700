"""Training: adapters or all weights, readout heads and exits."""
