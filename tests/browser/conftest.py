"""What browser tests share: a page without the launcher, with little memory, and with a folder made by an enemy."""

import json
import shutil

import pytest
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers, processors

from tests.conftest import ROOT, serving

FOLDER = "![x](\\\\stranger.example\\p.png) <b onclick=alert(1)>b :red[r] `c` $x$"
PIECES = (
    "<s>",
    "</s>",
    "<b>hi</b>",
    "<br>",
    "<i>",
    '<a href="https://stranger.example">x</a>',
    "<img src=x onerror=alert(1)>",
    '" onmouseover="x',
    "&lt;b&gt;",
    "&amp;",
    "#000004",
    "$x^2$",
    "![p](https://stranger.example/p.png)",
    "2024-01-02",
    "7",
    "7.0",
    "\u202eevil",
    "the same beginning and one end",
    "the same beginning and other end",
    "constructor",
    "__proto__",
)


@pytest.fixture(scope="session")
def enemy(tmp_path_factory):
    """A folder of models with one in it, whose name and whole vocabulary are markup; pieces are cut at "|"."""
    root = tmp_path_factory.mktemp("models")
    folder = root / FOLDER
    shutil.copytree(ROOT / "tests" / "golden" / "families" / "bert_mlm", folder)
    size = json.loads((folder / "config.json").read_text())["vocab_size"]
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *PIECES]
    words += [f"unused {number}" for number in range(size - len(words))]
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split("|", "removed")
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.add_special_tokens([AddedToken(word, special=True) for word in words[:4]])
    tokenizer.save(str(folder / "tokenizer.json"))
    return root


@pytest.fixture(scope="session")
def profile(browser):
    """A profile that tests share unless they ask for a fresh one: the page's files are fetched and compiled once."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-US")
    context.set_default_timeout(30_000)
    keeper = context.new_page()  # as long as it is open, so is the process that all tabs share
    keeper.route("**/*", lambda route: route.fulfill(body=""))
    keeper.goto("http://127.0.0.1:1/")
    yield context
    context.close()


@pytest.fixture
def new_tab(profile, visit):
    """Open tabs, each of which is a visit of its own, with a window of another size where that is said."""
    tabs = []

    def open_tab(width=1280, height=900):
        tab = profile.new_page()
        tabs.append(tab)
        if (width, height) != (1280, 900):
            tab.set_viewport_size({"width": width, "height": height})
        visit.watch(tab)
        return tab

    yield open_tab
    for tab in tabs:
        tab.close()
    assert visit.strangers() == []
    assert visit.errors == []


@pytest.fixture
def page(new_tab):
    """One new tab."""
    return new_tab()


@pytest.fixture
def phone(new_tab):
    """One new tab as narrow as a phone."""
    return new_tab(width=390, height=844)


@pytest.fixture(scope="session")
def bare(tmp_path_factory, enemy):
    """The address of a page that app.py alone serves: it hands out no single maps, and forgets every trace."""
    log = tmp_path_factory.mktemp("bare") / "log"
    with serving(log, script="app.py", HEADS_UP_MODELS_ROOT=str(enemy), HEADS_UP_TRACE_MIB="1") as address:
        yield address
