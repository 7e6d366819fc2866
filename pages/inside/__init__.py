"""Inside: every number proves itself."""
