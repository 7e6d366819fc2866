"""The Cost page: what a text costs as it grows, in operations, in bytes and in money."""
