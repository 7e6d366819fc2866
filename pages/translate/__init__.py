"""Translate: a Transformer of 2017 that was trained here, at work."""
