"""Known weaknesses are looked up for everything that is pinned, and nobody is held up where they cannot be."""

import re

import pytest

from tests.house.source import ROOT
from tools import audit


def test_everything_that_is_pinned_is_asked_about():
    found = audit.pinned()
    assert {"streamlit", "torch", "starlette", "uvicorn", "pyarrow", "authlib", "cryptography"} <= {
        line.split("==")[0] for line in found
    }
    assert all(re.fullmatch(r"[a-z0-9-]+==[\w.]+", line) for line in found)


def test_where_nobody_answers_it_says_so_and_does_not_fail(capsys):
    assert audit.main("http://127.0.0.1:1/") == 0
    assert "Not audited" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("said", "asked"), [('{"vulnerabilities": [1]}', True), ('{"info": {}}', False), ("no", False)]
)
def test_a_mirror_without_advisories_is_not_asked(tmp_path, said, asked):
    (tmp_path / "json").write_text(said)
    assert audit.reachable((tmp_path / "json").as_uri()) is asked


def test_where_something_is_known_it_fails(monkeypatch, tmp_path):
    """With a program in place of pip-audit that knows of a weakness in whatever it is asked about."""
    program = tmp_path / "knows"
    program.write_text('#!/bin/sh\ntest "$1 $4" = "--strict -r" && grep -q streamlit "$5" && exit 1\n')
    program.chmod(0o755)
    monkeypatch.setattr(audit, "reachable", lambda _: True)
    monkeypatch.setattr(audit, "auditor", lambda: program)
    assert audit.main() == 1


def test_it_is_part_of_the_check():
    check = (ROOT / "Makefile").read_text(encoding="utf-8").split("\ncheck:")[1].split("\n\n")[0]
    assert "tools.audit" in check
