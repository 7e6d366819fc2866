"""What an operator needs: logs without anybody's words, numbers for Prometheus, readiness, and a door with a code."""
