"""The sections of the Translate page, one module each, and what they share."""
