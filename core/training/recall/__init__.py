"""The recall experiment: what a memory of fixed size can hold, and what attention need not hold."""
