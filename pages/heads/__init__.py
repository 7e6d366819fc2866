"""Heads: what each head of each layer looks at."""
