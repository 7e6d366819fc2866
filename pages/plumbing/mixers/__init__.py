"""The sections of the Mixers page, one module each, and what they share."""
