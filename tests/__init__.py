"""Threads that wait sleep, and OpenBLAS has a single one: said here before anybody loads torch or NumPy."""

import os

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
