"""Tiny networks gain nothing from threads, and lose much on a machine that is busy."""

import torch

torch.set_num_threads(1)
