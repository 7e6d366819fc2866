"""One sentence through every mixer: small models of one layer that all learned the same made-up English."""
