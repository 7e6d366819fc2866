"""Measurements, one script per question; nothing imports them."""
