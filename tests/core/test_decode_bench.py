"""The benchmark of writing goes on, and says why, where its guest cannot be had."""

import subprocess

import pytest

import core
from benchmarks import decode


@pytest.mark.parametrize("python", [None, "/no/such/python"])
def test_without_llama_cpp_the_benchmark_says_so_and_goes_on(python, smollm2, monkeypatch, capsys):
    def refused(*command):
        assert "--only-binary" in command or command[1:3] == ("-m", "venv"), "nothing is compiled"
        if "pip" in command:
            raise subprocess.CalledProcessError(1, command, stderr="looking\nERROR: No matching distribution found\n")
        return ""

    monkeypatch.setattr(core, "open_model", lambda *_, **__: smollm2)
    if python is None:
        monkeypatch.setattr(decode, "ran", refused)
    assert decode.llama(python) == []
    told = capsys.readouterr().out
    assert "llama-cpp-python does not install or run here" in told
    assert ("No matching distribution found" if python is None else "/no/such/python") in told
