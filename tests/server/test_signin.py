"""The sign-in at an OpenID provider: who is let in, who is not, what is kept, what is never told."""

import json
from secrets import token_hex
from urllib.parse import urlencode

import pytest

pytest.importorskip("authlib", reason="Authlib is not installed: `pip install -r requirements-signin.txt`")

from itsdangerous import TimestampSigner, URLSafeTimedSerializer
from playwright.sync_api import expect

from core import words
from tests.conftest import free_port, serving
from tests.server.person import Person
from tests.server.provider import ANNA, CLIENT, SECRET, providing
from tests.server.proxy import proxying
from tests.server.visitor import run_page

SENTENCE, COOKIE_SECRET = "zyzzyva", "a secret of forty letters, which nobody sees"
CODE, OPERATOR = "open sesame", "let me see"
FAULTS = (
    "expired",
    "for another page",
    "of another provider",
    "of another visit",
    "signed by another key",
    "signed by a guess",
    "not signed",
)
USER = "_streamlit_user"
DAY = 86_400


@pytest.fixture(scope="module")
def provider():
    with providing() as running:
        yield running


@pytest.fixture(scope="module")
def guarded(provider, tmp_path_factory):
    """The address of a server at which people of example.org sign in and know a code, and its log."""
    place = tmp_path_factory.mktemp("guarded")
    file = written(place, provider, "http://127.0.0.1:{port}/oauth2callback", 'allowed = ["@example.org"]')
    with serving(place / "log", HEADS_UP_SIGN_IN=file, HEADS_UP_CODE=CODE, HEADS_UP_OPERATOR_CODE=OPERATOR) as address:
        yield address, place / "log"


def written(place, provider, back, *more):
    """Write what an operator writes; the name of the file."""
    lines = {
        "redirect_uri": back,
        "cookie_secret": COOKIE_SECRET,
        "client_id": CLIENT,
        "client_secret": SECRET,
        "server_metadata_url": f"{provider.address}/.well-known/openid-configuration",
    }
    told = (f'{name} = "{value}"' for name, value in lines.items())
    (place / "signin.toml").write_text("\n".join(["[auth]", *told, *more]))
    return str(place / "signin.toml")


@pytest.fixture(autouse=True)
def well(provider):
    """Whatever a test changed about the provider is as it was."""
    yield
    provider.person, provider.fault, provider.away = dict(ANNA), "", False


def said(messages):
    return "".join(str(message.delta) for message in messages if message.WhichOneof("type") == "delta")


def text(key, language="en", **values):
    return words.say(language, f"door.{key}", **values)


@pytest.mark.parametrize("language", words.languages())
def test_who_has_not_signed_in_sees_a_door_and_nothing_else(guarded, language):
    shown = run_page(guarded[0], urlencode({"text": SENTENCE, "lang": language}))
    for key in ("sign_in_title", "sign_in", "sign_in_note"):
        assert [m for m in shown if holds(m, text(key, language, provider="127.0.0.1"))], key
    assert SENTENCE not in said(shown)
    assert "heads_map" not in said(shown)
    assert not [m for m in shown if holds(m, text("class", language))]


def holds(message, wanted):
    """Whether a message holds a text, in whatever language."""
    return wanted.encode() in message.SerializeToString()


def test_who_signs_in_and_knows_the_code_sees_the_page(guarded):
    person = Person(guarded[0])
    assert person.sign_in() == f"{guarded[0]}/"
    asked = person.run(f"text={SENTENCE}")
    assert text("class") in said(asked)
    assert "heads_map" not in said(asked)
    inside = said(person.run(f"text={SENTENCE}", code__class=CODE))
    assert "heads_map" in inside
    assert text("signed_in", who="anna@example.org") in inside
    assert text("sign_out") in inside


@pytest.mark.parametrize("fault", FAULTS)
def test_a_token_that_is_not_right_lets_nobody_in(guarded, provider, fault):
    person, provider.fault = Person(guarded[0]), fault
    assert person.sign_in() == f"{guarded[0]}/?sign_in=failed"
    assert USER not in person.cookies()
    shown = person.run("sign_in=failed")
    assert text("sign_in_failed") in said(shown)
    assert text("class") not in said(shown)


def test_an_answer_that_nobody_asked_for_lets_nobody_in(guarded):
    person = Person(guarded[0])
    assert person.go("/oauth2callback?code=found&state=guessed") == f"{guarded[0]}/?sign_in=failed"
    assert USER not in person.cookies()


def test_a_provider_that_is_away_is_said_in_words(guarded, provider):
    person, provider.away = Person(guarded[0]), True
    assert person.sign_in() == f"{guarded[0]}/?sign_in=failed"


class Old(TimestampSigner):
    """Signs as if it were five weeks ago."""

    def get_timestamp(self):
        return super().get_timestamp() - 35 * DAY


def cookie(secret=COOKIE_SECRET, signer=TimestampSigner, **claims):
    said = {"is_logged_in": True, "provider": "default", **ANNA, **claims}
    return URLSafeTimedSerializer(secret, salt=USER, signer=signer).dumps(json.dumps(said))


def test_only_a_cookie_that_this_server_signed_lately_is_believed(guarded):
    def shown(value):
        person = Person(guarded[0])
        known = person.cookies()
        person.cookies = lambda: {**known, USER: value}
        return text("class") in said(person.run())

    right = cookie(origin=guarded[0])
    assert shown(right)
    assert not shown(right[:-2] + ("A" if right[-2] != "A" else "B") + right[-1])
    assert not shown(cookie(secret="another secret of forty letters, guessed", origin=guarded[0]))
    assert not shown(cookie(signer=Old, origin=guarded[0]))
    assert not shown(cookie(origin="http://stranger.example"))
    assert not shown(cookie(origin=guarded[0], is_logged_in="yes"))


@pytest.mark.parametrize("person", [{"email": "eve@stranger.example"}, {"email_verified": False}, {"email": ""}])
def test_an_account_that_is_not_invited_stays_outside(guarded, provider, person):
    provider.person = {**ANNA, **person}
    stranger = Person(guarded[0])
    stranger.sign_in()
    shown = said(stranger.run(f"text={SENTENCE}"))
    assert text("not_invited") in shown
    assert text("sign_out") in shown
    assert text("class") not in shown
    assert SENTENCE not in shown


def test_how_the_server_does_is_behind_the_sign_in_the_code_and_a_code_of_its_own(guarded, provider):
    """Whoever comes as far as the last door sees every number, nobody's sentence, and nobody else's name."""
    steps = {"code__class": CODE, "code__operator": OPERATOR}
    outside, asked, numbers = text("sign_in_title"), text("operator"), words.say("en", "server.stores_title")

    def sees(messages):
        return [any(holds(m, one) for m in messages) for one in (outside, text("class"), asked, numbers)]

    provider.person = {**ANNA, "email": "bert@example.org"}
    bert = Person(guarded[0])
    bert.sign_in()
    assert "heads_map" in said(bert.run(f"text={SENTENCE}", code__class=CODE))
    provider.person = dict(ANNA)
    assert sees(run_page(guarded[0], section="server")) == [True, False, False, False]
    anna = Person(guarded[0])
    anna.sign_in()
    assert sees(anna.run(section="server")) == [False, True, False, False]
    assert sees(anna.run(section="server", code__class=CODE)) == [False, True, True, False]
    shown = anna.run(section="server", **steps)
    assert sees(shown) == [False, True, True, True]
    assert not [m for m in shown if holds(m, SENTENCE) or holds(m, "bert@")]


def test_who_signs_out_is_outside_again(guarded):
    person = Person(guarded[0])
    person.sign_in()
    assert USER in person.cookies()
    leads = [m.auth_redirect.url for m in person.run(sign_out=True) if m.WhichOneof("type") == "auth_redirect"]
    assert person.go(leads[0]) == f"{guarded[0]}/"
    assert USER not in person.cookies()
    assert text("sign_in_title") in said(person.run())


def test_no_secret_and_no_sentence_is_told_to_anybody(guarded, provider):
    """Not in the page, not in the log, and the provider learns nothing of what somebody reads."""
    person = Person(guarded[0])
    person.sign_in(f"text={SENTENCE}")
    sent = b"".join(m.SerializeToString() for m in person.run(f"text={SENTENCE}", code__class=CODE))
    provider.fault = "signed by another key"
    Person(guarded[0]).sign_in(f"text={SENTENCE}")
    logged = guarded[1].read_text(encoding="utf-8")
    assert '"error": "' in logged
    for secret in (COOKIE_SECRET, SECRET, CODE, "opens nothing", *provider.given):
        assert secret.encode() not in sent
        assert secret not in logged
    assert SENTENCE not in logged
    assert provider.given
    assert not [path for path in provider.asked if SENTENCE in path]


def test_behind_nginx_and_below_a_path_people_sign_in_too(nginx, provider, tmp_path):
    """Somebody of whom the provider has much to tell, in cookies of several pieces."""
    provider.person = {**ANNA, "groups": [token_hex(16) for _ in range(200)]}
    port = free_port()
    file = written(tmp_path, provider, f"http://127.0.0.1:{port}/attn/oauth2callback")
    with (
        serving(tmp_path / "log", base="/attn", HEADS_UP_SIGN_IN=file) as page,
        proxying(nginx, tmp_path, page, port=port) as proxy,
    ):
        person = Person(proxy.address)
        assert person.sign_in(f"text={SENTENCE}") == f"{proxy.address}/"
        assert f"{USER}_2" in person.cookies()
        assert f"{USER}_tokens" not in person.cookies()
        assert "heads_map" in said(person.run(f"text={SENTENCE}"))
        logged = proxy.logged(1)
    assert "/attn/oauth2callback" in logged
    assert [word for word in (SENTENCE, "code=", "state=", "provider=") if word in logged] == []


@pytest.mark.browser
def test_the_whole_round_in_a_browser_leads_back_to_the_link(guarded, provider, new_page):
    """Door, cancelled, again, code, the sentence of the link, sign-out; in Chinese, with a name that is markup."""
    provider.person = {**ANNA, "email": "<b>anna</b>@example.org"}
    page = new_page(locale="zh-CN")
    page.goto(f"{guarded[0]}/?text=The+{SENTENCE}+slept.&layer=2&heads=7&lang=zh")
    press(page, "sign_in")
    page.get_by_role("button", name="cancel").click()
    expect(page.get_by_text(text("sign_in_failed", "zh"))).to_be_visible()
    press(page, "sign_in")
    page.get_by_role("button", name="approve").click()
    box = page.get_by_label(text("code", "zh")).first
    box.fill(CODE)
    box.press("Enter")
    expect(page.locator("textarea").first).to_have_value(f"The {SENTENCE} slept.")
    expect(page.get_by_text(text("signed_in", "zh", who="<b>anna</b>@example.org"))).to_be_visible()
    assert "layer=2&heads=7" in page.url
    press(page, "sign_out")
    expect(page.get_by_role("button", name=text("sign_in", "zh"), exact=True)).to_be_visible()
    page.goto(f"{guarded[0]}/?text={SENTENCE}")
    expect(page.get_by_role("button", name=text("sign_in", "zh"), exact=True)).to_be_visible()
    assert page.locator("textarea").count() == 0


def press(page, key):
    page.get_by_role("button", name=text(key, "zh"), exact=True).click()
