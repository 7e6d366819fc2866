"""How deep one can stack: layers of one mixer, with and without a way around them."""
