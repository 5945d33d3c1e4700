"""A runtime for CPUs without torch: the layers as OpenVINO graphs, the rest in numpy."""
