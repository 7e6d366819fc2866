"""Measurements, one script per question; nothing imports them. Threads are told what to do before a library loads."""

import core.waiting  # noqa: F401
