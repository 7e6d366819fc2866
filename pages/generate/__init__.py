"""The page that shows how a text is written, one token after another, and what is kept meanwhile."""
