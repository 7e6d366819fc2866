"""Ends well if the page of this machine answers that it is healthy: for a container's health check and for monitors."""

import os
import sys
import urllib.request

PORT = os.environ.get("STREAMLIT_SERVER_PORT", "8501")
BELOW = os.environ.get("STREAMLIT_SERVER_BASE_URL_PATH", "").strip("/")
ADDRESS = "/".join(filter(None, (f"http://127.0.0.1:{PORT}", BELOW, "_stcore/health")))

try:
    with urllib.request.urlopen(ADDRESS, timeout=5) as answer:
        sys.exit(answer.status != 200)
except OSError as refused:
    sys.exit(f"{ADDRESS}: {refused}")
