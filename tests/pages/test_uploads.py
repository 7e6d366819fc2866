"""Bringing a folder along: off unless the operator allows it, seen by one visit only, and deleted with it."""

import shutil
import tempfile

import pytest
from streamlit.runtime.caching.cache_resource_api import clear_session_cache
from streamlit.testing.v1.element_tree import Selectbox

import core
from core.settings import Settings
from pages.plumbing import doors
from tests.core.changed import FAMILIES
from tests.pages.visits import address, click, header, shows, texts, visit

PAGE = "pages/models/models.py"
SESSION = "test session id"  # every visit without a browser has this one


@pytest.fixture
def engine(monkeypatch, tmp_path):
    """An engine that takes uploads of 4 MiB and keeps them below a folder of this test."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    monkeypatch.setattr(Selectbox, "index", property(place_in_picker))
    return used(monkeypatch, Settings(device="cpu", upload_mib=4))


def place_in_picker(box, real=Selectbox.index.fget):
    """Streamlit's testing asks for an option's name outside the visit, where nobody knows whose upload it is."""
    return real(box) if box.value in doors.models() or box.key != "field.model" else box.options.index("Your upload")


def used(monkeypatch, settings):
    engine = core.engine.LocalEngine(settings)
    monkeypatch.setattr(doors, "engine", lambda: engine)
    clear_session_cache(SESSION)
    return engine


def files(family="bert_mlm", names=("config.json", "model.safetensors", "tokenizer.json")):
    return [(name, (FAMILIES / family / name).read_bytes(), "application/octet-stream") for name in names]


def models_page():
    return visit().switch_page(PAGE).run()


def bring(tab, given):
    tab.file_uploader[0].set_value(given).run()
    return click(tab, "upload.open")


def on_disk(tmp_path):
    return sorted(path.name for path in (tmp_path / "temporary").rglob("*") if path.is_file())


def picked(tab):
    return tab.selectbox(key="field.model").options


def test_nothing_can_be_brought_along_unless_the_operator_allows_it(monkeypatch):
    used(monkeypatch, Settings(device="cpu"))
    tab = models_page()
    assert not tab.exception
    assert not tab.file_uploader
    with pytest.raises(core.CoreError) as caught:
        doors.engine().take([("config.json", b"{}")])
    assert caught.value.key == "upload_off"


@pytest.mark.usefixtures("engine")
def test_both_limits_are_told_where_files_are_brought():
    tab = models_page()
    assert shows(tab, core.words.say("en", "models.upload_note", together=4, each=1))
    assert tab.file_uploader[0].proto.max_upload_size_mb == 1


@pytest.mark.usefixtures("engine")
def test_what_was_brought_opens_for_this_visit_and_no_other(tmp_path):
    mine, other = models_page(), visit()
    mine = bring(mine, files())
    assert not mine.exception
    assert on_disk(tmp_path) == ["config.json", "model.safetensors", "tokenizer.json"]
    name = mine.session_state["uploaded"]
    assert len(name) >= 40
    assert shows(mine, core.words.say("en", "models.uploaded_line"))
    mine = mine.switch_page("pages/heads/heads.py").run()
    mine = mine.selectbox(key="field.model").set_value("Your upload").run()
    assert not mine.exception
    assert header(mine)["layers"] == 2
    assert "Your upload" in picked(mine)
    assert shows(mine, core.words.say("en", "models.uploaded_no_link"))
    assert name not in str(address(mine))
    other = other.run()
    assert "Your upload" not in picked(other)
    assert name not in str(texts(other))
    assert header(visit(model=name))["layers"] == 6


def test_another_visit_that_guesses_is_refused(engine):
    bring(models_page(), files())
    for guess in ("upload", "Your upload", "../upload", ""):
        with pytest.raises(core.CoreError) as caught:
            engine.report(guess)
        assert caught.value.key == "unknown_model"
        assert "heads-up-" not in str(caught.value)


def test_a_new_upload_takes_the_place_of_the_one_before(engine, tmp_path):
    tab = bring(models_page(), files())
    before = tab.session_state["uploaded"]
    tab = bring(tab, files("llama_lm"))
    assert tab.session_state["uploaded"] != before
    assert engine.gone(before)
    assert len(on_disk(tmp_path)) == 3


@pytest.mark.parametrize("how", ["button", "end of the visit"])
def test_it_is_deleted_with_the_visit(engine, tmp_path, how):
    tab = bring(models_page(), files())
    name = tab.session_state["uploaded"]
    tab = tab.switch_page("pages/heads/heads.py").run()
    tab = tab.selectbox(key="field.model").set_value("Your upload").run()
    ref = engine.trace(core.engine.Request(model=name, text="the cat"))
    if how == "button":
        tab = click(tab.switch_page(PAGE).run(), "upload.delete")
    else:
        clear_session_cache(SESSION)
        tab = tab.run()
    assert not tab.exception
    assert on_disk(tmp_path) == []
    assert engine.ref(ref.key) is None
    assert "Your upload" not in str(texts(tab))
    with pytest.raises(core.CoreError):
        engine.report(name)
    assert header(tab.switch_page("pages/heads/heads.py").run())["layers"] == 6


@pytest.mark.usefixtures("engine")
def test_a_folder_that_does_not_open_is_refused_in_words_and_not_kept(tmp_path):
    tab = bring(models_page(), files(names=("config.json", "tokenizer.json")))
    assert not tab.exception
    assert any("has no weights" in text for text in texts(tab))
    assert on_disk(tmp_path) == []
    assert "uploaded" not in tab.session_state


def test_the_models_page_says_why_a_folder_does_not_open(monkeypatch, tmp_path):
    root = tmp_path / "root"
    shutil.copytree(FAMILIES / "bert_mlm", root / "good")
    shutil.copytree(FAMILIES / "bert_mlm", root / "cut")
    (root / "cut" / "model.safetensors").write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    (root / "notes").mkdir()
    (root / ".hidden").mkdir()
    used(monkeypatch, Settings(device="cpu", models_root=root.resolve()))
    tab = models_page()
    assert not tab.exception
    assert doors.models() == ("minilm", "smollm2", "translator", "translator-guided", "cut", "good")
    assert shows(tab, core.words.say("en", "errors.weights_pointer", name="model.safetensors"))
    assert shows(tab, core.words.say("en", "models.folder"))


def test_the_models_page_lists_every_family_that_opens():
    tab = models_page()
    names = ", ".join(family.name for family in core.families())
    assert shows(tab, names)
    assert "deberta-v2" in names
