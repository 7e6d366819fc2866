"""What is shipped for operators hangs together: the container, compose.yaml, nginx, the systemd unit."""

import re
import shutil
import subprocess
import tomllib
from fnmatch import fnmatch

import pytest
import yaml

from core.settings import Settings
from tests.house.source import ROOT

SITE = ROOT / "deploy" / "nginx" / "site.conf"
UNIT = ROOT / "deploy" / "heads-up.service"
WORST = 1.5  # of 10; systemd's own word for what is below 2 is OK


def instructions():
    """Every instruction of the Dockerfile as (word, rest), continued lines joined."""
    text = re.sub(r"\\\n", " ", (ROOT / "Dockerfile").read_text(encoding="utf-8"))
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    return [(word, " ".join(rest.split())) for word, _, rest in (line.partition(" ") for line in lines)]


def last_stage():
    steps = instructions()
    return steps[max(place for place, (word, _) in enumerate(steps) if word == "FROM") :]


def copied():
    """What the last stage takes from the project."""
    found = (rest.split() for word, rest in instructions() if word == "COPY" and "--from" not in rest)
    return [name for names in found for name in names[:-1]]


def test_the_base_is_pinned_and_the_same_in_every_stage():
    base = dict(rest.split("=") for word, rest in instructions() if word == "ARG" and "=" in rest)["BASE"]
    assert re.fullmatch(r"python:3\.\d+\.\d+-slim-\w+", base)
    assert {rest.split()[0] for word, rest in instructions() if word == "FROM"} == {"${BASE}"}


def test_it_does_not_run_as_root():
    users = [rest for word, rest in last_stage() if word == "USER"]
    assert users
    assert re.fullmatch(r"[1-9]\d+:[1-9]\d+", users[-1])
    words = [word for word, _ in last_stage()]
    assert "RUN" not in words[words.index("USER") :]


def test_its_health_is_checked_by_a_file_that_is_in_it():
    check = next(rest for word, rest in last_stage() if word == "HEALTHCHECK")
    assert "deploy/healthy.py" in check
    assert "deploy/healthy.py" in copied()


def test_what_is_copied_exists_and_is_not_ignored():
    kept = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert kept[0] == "*"
    allowed = [line[1:] for line in kept if line.startswith("!")]
    assert copied()
    assert [name for name in copied() if not (ROOT / name).exists()] == []
    assert [name for name in copied() if not any(fnmatch(name, one) for one in allowed)] == []
    assert [name for name in allowed if name not in copied()] == []


def test_everything_that_the_page_runs_is_in_it():
    assert {"app.py", "server.py", "core", "pages", "assets", ".streamlit/config.toml"} <= set(copied())


def test_no_secret_is_in_it():
    assert not [name for name in copied() if "secret" in name or ".env" in name]
    settings = [rest for word, rest in instructions() if word in ("ENV", "ARG")]
    assert not re.search(r"secret|token|password", " ".join(settings), re.IGNORECASE)


@pytest.fixture
def services():
    return yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))


def test_both_containers_can_write_nowhere_and_have_no_rights(services):
    for service in services["services"].values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert service["tmpfs"]
        assert service["mem_limit"]
        assert service["pids_limit"]


def test_only_the_proxy_can_be_reached_and_the_page_reaches_nobody(services):
    assert "ports" not in services["services"]["heads-up"]
    assert services["services"]["heads-up"]["networks"] == ["inside"]
    assert services["networks"]["inside"]["internal"] is True
    assert re.fullmatch(r"nginx:\d+\.\d+\.\d+-alpine", services["services"]["proxy"]["image"])
    assert services["services"]["proxy"]["user"] == "101:101"


def test_every_setting_can_be_given_to_the_container(services):
    """But for those that name a place of its own there; Ray Serve is no part of the image."""
    given = {name.removeprefix("HEADS_UP_").lower() for name in services["services"]["heads-up"]["environment"]}
    fixed = {"sign_in", *(name for name in vars(Settings()) if name.startswith(("engine", "ray_")))}
    assert set(vars(Settings())) - given == fixed


def test_what_compose_mounts_exists(services):
    mounts = (mount.split(":")[0] for mount in services["services"]["proxy"]["volumes"])
    assert [place for place in mounts if not (ROOT / place).is_file()] == []


def test_what_compose_sets_are_settings(services):
    given = services["services"]["heads-up"]["environment"]
    known = {f"HEADS_UP_{name.upper()}": str(value) for name, value in vars(Settings()).items()}
    ours = {name: value for name, value in given.items() if name.startswith("HEADS_UP_")}
    assert set(ours) <= set(known)
    usual = {name: re.fullmatch(r"\$\{\w+:-(.*)\}", value) for name, value in ours.items()}
    assert {name: match[1] for name, match in usual.items() if match} == {
        name: known[name] for name, match in usual.items() if match
    }


def test_where_people_sign_in_the_page_may_ask_the_provider_and_nothing_else_is_different():
    more = yaml.safe_load((ROOT / "deploy" / "compose.signin.yaml").read_text(encoding="utf-8"))
    page, (secret,) = more["services"]["heads-up"], more["secrets"]
    assert set(more["services"]) == {"heads-up"}
    assert set(page) == {"build", "environment", "secrets", "networks"}
    assert page["environment"] == {"HEADS_UP_SIGN_IN": f"/run/secrets/{secret}"}
    assert page["build"]["args"] == {"SIGN_IN": "yes"}
    assert secret in (ROOT / ".gitignore").read_text(encoding="utf-8")
    drop = (ROOT / "deploy" / "signin.conf").read_text(encoding="utf-8").splitlines()
    assert [line for line in drop if not line.startswith("#")] == ["[Service]", "IPAddressDeny="]


def test_the_upload_limit_is_the_same_everywhere():
    own = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["server"]["maxUploadSize"]
    text = SITE.read_text(encoding="utf-8")
    assert re.search(r"^client_max_body_size (\d+)m;", text, re.MULTILINE)[1] == str(own)
    assert re.findall(r"(\d+) MiB", text) == [str(own)] * 2


def test_the_log_of_nginx_holds_nothing_that_a_link_holds():
    text = (SITE.parent / "shared.conf").read_text(encoding="utf-8")
    format_ = re.search(r"log_format heads_up '([^']*)'", text)[1]
    holds = {
        "$request ",
        "$request_uri",
        "$args",
        "$query_string",
        "$http_referer",
        "$arg_",
        "$is_args",
        "$http_cookie",
    }
    assert [name for name in holds if name in f"{format_} "] == []
    assert "error.log emerg;" in SITE.read_text(encoding="utf-8")


def test_what_nginx_says_is_said_in_both_languages():
    told = re.findall(r'return \d+ "(<!doctype.*)";', SITE.read_text(encoding="utf-8"))
    assert len(told) == 4
    assert all("<p lang=en>" in text and "<p lang=zh>" in text for text in told)


def unit():
    return dict(re.findall(r"^(\w+)=(.*)$", UNIT.read_text(encoding="utf-8"), re.MULTILINE))


def test_the_service_may_write_nowhere_and_speak_to_nobody_else():
    found = unit()
    assert found["User"] != "root"
    assert found["ProtectSystem"] == "strict"
    assert found["NoNewPrivileges"] == "yes"
    assert found["CapabilityBoundingSet"] == ""
    assert (found["IPAddressDeny"], found["IPAddressAllow"]) == ("any", "localhost")


def test_systemd_calls_the_service_well_closed():
    """By its own measure, 0 to 10."""
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("no systemd-analyze here; it measures how far the service is closed")
    command = [analyze, "security", "--offline=true", f"--threshold={round(WORST * 10)}", str(UNIT)]
    said = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert said.returncode == 0, said.stdout[-300:]
