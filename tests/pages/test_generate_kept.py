"""Generate: the mask, the cache and the pool of blocks say what the core says."""

import pytest

import core
from pages.plumbing import doors
from tests.golden.fixtures import HERE
from tests.pages.generating import SHORT, TEXT, opened, say
from tests.pages.visits import address, click, shows, texts

LANGUAGES = core.words.languages()


@pytest.fixture
def families(monkeypatch):
    monkeypatch.setattr(doors.engine(), "settings", core.settings.Settings(device="cpu", models_root=HERE / "families"))


def test_nothing_knows_how_the_sentence_goes_on_unless_it_looks_ahead():
    same = opened(**{"generate.show": "mask"})
    values = {"first": "“\u2068tired\u2069”", "second": "“\u2068wide\u2069”"}
    assert shows(same, say("beginnings_alike", count=11, most="0", **values))
    other = opened(**{"generate.show": "mask", "generate.model": "minilm"})
    assert any(text.startswith("The first 11 tokens differ") or "differ between" in text for text in texts(other))
    assert shows(other, "reads only")


@pytest.mark.usefixtures("families")
def test_the_mask_of_a_model_with_a_window_says_how_wide_it_is():
    tab = opened(**{**SHORT, "generate.show": "mask", "generate.model": "mistral_window"})
    assert any("the last" in text for text in texts(tab) if text.startswith("Layer"))


def test_the_cache_is_the_formula_and_the_bytes_that_lie_there():
    tab = opened(**{"generate.show": "cache"})
    assert shows(tab, say("per_token", bytes="46,080", heads=9))
    assert shows(tab, say("counted", length=11, real="506,880", formula="506,880"))


@pytest.mark.usefixtures("families")
def test_both_ways_of_writing_write_the_same():
    tab = opened(**{**SHORT, "generate.show": "cache", "generate.model": "llama3_biases", "generate.both": "4"})
    assert len(tab.get("plotly_chart")) == 3
    tab = click(tab, "generate.compare")
    assert not tab.exception
    assert len(tab.get("plotly_chart")) == 5
    assert any("wrote the same tokens" in text for text in texts(tab))


def test_requests_are_served_in_blocks_and_common_beginnings_once(smollm2):
    words = {"generate.show": "serve", "generate.block": "4", "generate.each": "3"}
    tab = opened(**words)
    assert not tab.exception
    prompts = tab.text_area(key="field.generate.prompts").value.splitlines()
    found = core.serving.replay(smollm2, prompts, block_size=4, blocks=24, limit=3, together=3)
    assert any(f" {found.matched} (" in text for text in texts(tab))
    assert shows(tab, say("waste_told", paged=f"{100 * core.serving.paged(found).mean_waste:.1f}", whole="…")[:20])
    tab = click(tab, "generate.event_on")
    assert address(tab)["generate.event"] == "1"
    tab = tab.segmented_control(key="field.generate.sharing").set_value("apart").run()
    assert any(" 0 (0 %)" in text for text in texts(tab))


def test_every_event_is_said_in_every_language():
    for kind in core.serving.KINDS:
        for language in LANGUAGES:
            assert f"generate.event_{kind}" in core.words.catalogue(language)
            assert f"generate.kind_of_{kind}" in core.words.catalogue(language)


def test_a_pool_that_is_too_small_is_refused_and_the_prompts_stay():
    tab = opened(**{"generate.show": "serve", "generate.blocks": "1", "generate.prompts": TEXT})
    assert not tab.exception
    assert any("prompt 1 alone needs" in text for text in texts(tab))
    assert tab.text_area(key="field.generate.prompts").value == TEXT
