"""Server: who is here, who waits, what is held in memory, how long each stage takes, and what went wrong."""

from pages.plumbing import doors, show
from pages.plumbing.operating import door, report

code = doors.engine().settings.operator_code
show.heading("server")
if not code:
    report.closed()
elif door.passed("operator", code):
    report.show()
