"""How public benchmarks of decision models turn answers into their scores."""
