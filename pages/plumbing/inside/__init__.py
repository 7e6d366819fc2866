"""The sections of the Inside page, one module each, and what they share."""
