"""Models: what can be looked into, and how it was loaded."""
