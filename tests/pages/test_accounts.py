"""The file in which an operator says where people sign in: what is read from it, and what is refused at the start."""

import pytest

import core
from core import words
from core.settings import Settings, from_environment
from pages.plumbing.operating import accounts, signin
from tests.conftest import ROOT

SECRET = "forty letters that nobody but this page knows"
FILE = {
    "redirect_uri": "https://heads.example.org/oauth2callback",
    "cookie_secret": SECRET,
    "client_id": "heads-up",
    "client_secret": "between the two of us",
    "server_metadata_url": "https://provider.example/.well-known/openid-configuration",
}


@pytest.fixture
def written(tmp_path):
    """Write a file with other values than usual; None leaves a name out."""

    def write(**changed):
        place = tmp_path / "signin.toml"
        rows = {name: value for name, value in {**FILE, **changed}.items() if value is not None}
        place.write_text("[auth]\n" + "".join(f"{name} = {toml(value)}\n" for name, value in rows.items()))
        accounts.read.cache_clear()
        return place

    yield write
    accounts.read.cache_clear()


def toml(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {toml(one)}" for name, one in value.items()) + " }"
    return f"[{', '.join(map(toml, value))}]" if isinstance(value, list) else repr(value)


def refusal(place):
    with pytest.raises(core.CoreError) as caught:
        accounts.secrets(place)
    return caught.value


def test_the_setting_names_the_file():
    assert from_environment({}).sign_in is None
    assert str(from_environment({"HEADS_UP_SIGN_IN": "/etc/signin.toml"}).sign_in) == "/etc/signin.toml"
    assert accounts.secrets(Settings().sign_in) is None


def test_streamlit_is_told_what_it_needs_and_no_more(written):
    pytest.importorskip("authlib", reason="Authlib is not installed: `pip install -r requirements-signin.txt`")
    place = written(allowed=["@example.org"], client_kwargs={"prompt": "login"})
    assert accounts.secrets(place) == {"auth": {**FILE, "client_kwargs": {"prompt": "login"}}}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("redirect_uri", "http://heads.example.org/oauth2callback"),
        ("redirect_uri", "https://heads.example.org/elsewhere"),
        ("redirect_uri", "https://heads.example.org/oauth2callback?a=1"),
        ("redirect_uri", "oauth2callback"),
        ("redirect_uri", "https://[oauth2callback"),
        ("redirect_uri", 5),
        ("server_metadata_url", "http://provider.example/"),
        ("server_metadata_url", "https:///nowhere"),
        ("cookie_secret", "short"),
        ("cookie_secret", 5),
        ("client_id", " "),
        ("client_secret", ""),
        ("client_kwargs", {"prompt": 1}),
        ("client_kwargs", "prompt"),
        ("allowed", "@example.org"),
        ("allowed", ["example.org"]),
        ("allowed", ["anna @example.org"]),
        ("allowed", [1]),
    ],
)
def test_a_value_that_does_not_fit_is_named_and_not_told(written, name, value):
    refused = refusal(written(**{name: value}))
    assert (refused.key, refused.values["name"]) == ("sign_in_value", name)
    assert value not in refused.values.values()
    for language in words.languages():
        told = words.say(language, f"errors.{refused.key}", **refused.values)
        assert name in told
        assert SECRET not in told


@pytest.mark.parametrize(
    ("changed", "named"), [({"client_id": None}, "client_id"), ({"expose_tokens": "id"}, "expose_tokens")]
)
def test_a_name_that_is_missing_or_unknown_is_told(written, changed, named):
    refused = refusal(written(**changed))
    assert (refused.key, refused.values["came"]) == ("sign_in_names", named)


@pytest.mark.parametrize("text", ["[auth", "redirect_uri = 'a'", "\0"])
def test_a_file_that_cannot_be_read_is_told_without_what_stands_in_it(tmp_path, text):
    (tmp_path / "wrong.toml").write_text(text)
    for place in (tmp_path / "wrong.toml", tmp_path / "none.toml", tmp_path):
        assert refusal(place).key == "sign_in_file"
    (tmp_path / "flat.toml").write_text("auth = 1")
    assert refusal(tmp_path / "flat.toml").key == "sign_in_names"


def test_the_file_that_the_docs_show_is_accepted(tmp_path, monkeypatch):
    shown = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8").split("<<END\n")[1].split("END\n")[0]
    place = tmp_path / "signin.toml"
    place.write_text(shown.replace("$(openssl rand -hex 32)", "0123456789abcdef" * 4))
    monkeypatch.setattr(accounts.config, "get_option", {"server.baseUrlPath": "attn"}.__getitem__)
    assert accounts.read(place).allowed == ("@example.org",)
    monkeypatch.setattr(accounts.config, "get_option", {"server.baseUrlPath": ""}.__getitem__)
    accounts.read.cache_clear()
    assert refusal(place).values["name"] == "redirect_uri"


def test_packages_that_are_missing_are_named(written, monkeypatch):
    monkeypatch.setattr(accounts, "find_spec", lambda _: None)
    refused = refusal(written())
    assert (refused.key, refused.values["needed"]) == ("sign_in_packages", "requirements-signin.txt")


@pytest.mark.parametrize(
    ("allowed", "address", "verified", "inside"),
    [
        ([], "eve@stranger.example", False, True),
        (["@Example.org"], "Anna@example.org", True, True),
        (["@example.org"], "anna@example.org", False, False),
        (["@example.org"], "anna@example.org", "no", False),
        (["@example.org"], "anna@not-example.org", True, False),
        (["@example.org"], "anna@example.org.stranger.example", True, False),
        (["anna@example.org"], "anna@example.org", True, True),
        (["anna@example.org"], "joanna@example.org", True, False),
        (["anna@example.org"], None, True, False),
    ],
)
def test_who_may_come_in_is_told_by_a_verified_address(written, allowed, address, verified, inside):
    found = accounts.read(written(allowed=allowed))
    assert found.lets_in({"email": address, "email_verified": verified}) is inside


def test_no_secret_is_in_what_is_printed(written):
    assert SECRET not in repr(accounts.read(written()))
    assert FILE["client_secret"] not in repr(accounts.read(written()))


def beginning(status, *headers):
    return {"status": status, "headers": [(name.encode(), value.encode()) for name, value in headers]}


@pytest.mark.parametrize(
    ("path", "query", "answer", "failed"),
    [
        ("/auth/login", b"", beginning(302, ("location", "https://provider.example")), False),
        ("/auth/login", b"", beginning(400), True),
        ("/oauth2callback", b"code=1&state=2", beginning(302, ("set-cookie", "_streamlit_user=e30; Path=/")), False),
        ("/oauth2callback", b"code=1", beginning(302, ("set-cookie", '_streamlit_user=""; Max-Age=0; Path=/')), True),
        ("/oauth2callback", b"code=1", beginning(302, ("set-cookie", "_streamlit_user_tokens=e30")), True),
        ("/oauth2callback", b"error=access_denied", beginning(302, ("location", "/")), True),
        ("/oauth2callback", b"", beginning(302, ("location", "/")), False),
        ("/models", b"code=1", beginning(404), False),
    ],
)
def test_what_came_to_nothing_leads_to_the_door_that_says_so(path, query, answer, failed):
    told = signin.outcome(path, query, answer, "/attn")
    if failed:
        assert told["status"] == 302
        assert [value for name, value in told["headers"] if name == b"location"] == [b"/attn/?sign_in=failed"]
    else:
        assert told == answer


def test_the_tokens_of_the_provider_are_not_kept():
    """What is to be forgotten is forgotten all the same."""
    signed = ("set-cookie", "_streamlit_user=e30; Path=/")
    forgotten = ("set-cookie", '_streamlit_user_tokens=""; Max-Age=0; Path=/')
    tokens = [("set-cookie", f"_streamlit_user_tokens{part}=e30; Path=/") for part in ("", "_1", "_2")]
    told = signin.outcome("/oauth2callback", b"code=1", beginning(302, signed, *tokens, forgotten), "")
    assert told == beginning(302, signed, forgotten)
