"""The sections of the Positions page, one module each, and what they share."""
