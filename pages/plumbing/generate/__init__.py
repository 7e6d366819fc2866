"""The sections of the Generate page, one module each, and what they share."""
