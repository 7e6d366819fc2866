"""Ask whether a known weakness is in what the page runs on: `python -m tools.audit`, called by `make check`.

pip-audit (in an environment of its own, so that nothing is added to the page's) compares the pinned versions with the
Python advisory database. Where that cannot be reached, nothing is compared, and that is said.
"""

import json
import subprocess
import sys
import tempfile
import urllib.request
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LISTS = ("requirements.txt", "constraints.txt", "requirements-dev.txt", "requirements-signin.txt")
DATABASE = "https://pypi.org/pypi/pip/20.0/json"  # a version of which weaknesses are known
AUDITOR = "pip-audit==2.10.1"
PLACE = ROOT / ".venv" / "audit"


def pinned() -> list[str]:
    """Return everything that is pinned, as name==version."""
    lines = [line for name in LISTS for line in (ROOT / name).read_text(encoding="utf-8").splitlines()]
    return sorted({line for line in lines if "==" in line and not line.startswith(("#", "-"))})


def reachable(address: str = DATABASE) -> bool:
    """Tell whether the database answers and knows what is known: a mirror may have packages and no advisories."""
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            return bool(json.load(answer)["vulnerabilities"])
    except (OSError, ValueError, LookupError):
        return False


def auditor() -> Path:
    """Return pip-audit, fetched once."""
    program = PLACE / "bin" / "pip-audit"
    if not program.exists():
        venv.create(PLACE, with_pip=True)
        subprocess.run([PLACE / "bin" / "python", "-m", "pip", "install", "--quiet", AUDITOR], check=True)
    return program


def main(address: str = DATABASE) -> int:
    """Audit, and return how it ended: 0 where nothing is known, or where nobody could be asked."""
    if not reachable(address):
        print(f"Not audited: {address} tells of no weaknesses. Run `make audit` where it does.")
        return 0
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as wanted:
        wanted.write("\n".join(pinned()))
        wanted.flush()
        return subprocess.run(
            [auditor(), "--strict", "--disable-pip", "--no-deps", "-r", wanted.name], check=False
        ).returncode


if __name__ == "__main__":
    sys.exit(main())
