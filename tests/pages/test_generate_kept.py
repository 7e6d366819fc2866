"""Generate: the mask, the cache and the pool of blocks say what the core says."""

import numpy as np
import pytest

import core
from pages.plumbing import doors, extras, link
from tests.golden.fixtures import HERE
from tests.pages.generating import SHORT, TEXT, families, opened, say
from tests.pages.visits import address, click, shows, sketches, texts

__all__ = ["families"]
LANGUAGES = core.words.languages()


def test_nothing_knows_how_the_sentence_goes_on_unless_it_looks_ahead():
    same = opened(**{"generate.show": "mask"})
    values = {"first": "“\u2068tired\u2069”", "second": "“\u2068wide\u2069”"}
    assert shows(same, say("beginnings_alike", count=11, most="0", **values))
    other = opened(**{"generate.show": "mask", "generate.model": "minilm"})
    assert any(text.startswith("The first 11 tokens differ") or "differ between" in text for text in texts(other))
    assert shows(other, "reads only")


@pytest.mark.parametrize(("model", "alike"), [("smollm2", True), ("minilm", False)])
def test_what_it_looks_at_is_the_same_row_in_both_sentences_unless_it_looks_ahead(model, alike):
    opened_model = core.open_model(model)
    side, head = opened_model.sides[0], {"layer": 3, "head": 2}
    tab = opened(**{"generate.show": "mask", "generate.model": model, "generate.head": f"{side}.3.2"})
    words = extras.EXTRAS["generate.first"].usual, extras.EXTRAS["generate.second"].usual
    found = [core.trace(opened_model, core.read(opened_model, text)) for text in words]
    place = found[0].sample.labels.index("it")
    rows = next(one for one in sketches(tab) if "looks at ·" in one["title"])["numbers"].reshape(2, -1)
    for row, trace in zip(rows, found, strict=True):
        assert np.abs(row - trace.pattern(3, 2, side)[place, : len(row)]).max() < 1e-5
    assert (np.abs(rows[0] - rows[1]).max() < 1e-5) == alike
    told = say("row_alike", most="…", token="“\u2068it\u2069”", **head)
    assert shows(tab, told.partition("is the same")[0] + "is the same") == alike


def test_the_mask_of_a_model_with_a_window_says_how_wide_it_is():
    tab = opened(**{**SHORT, "generate.show": "mask", "generate.model": "mistral_window"})
    assert any("the last" in text for text in texts(tab) if text.startswith("Layer"))


def test_the_cache_is_the_formula_and_the_bytes_that_lie_there():
    tab = opened(**{"generate.show": "cache"})
    assert shows(tab, say("per_token", bytes="46,080", heads=9))
    assert shows(tab, say("counted", length=11, real="506,880", formula="506,880"))


@pytest.mark.parametrize("model", ["llama3_biases", "gemma2_lm", "marian_mt", "jamba_lm"])
def test_keys_and_values_are_drawn_apart_and_add_up_to_what_is_kept(model):
    tab = opened(**{**SHORT, "generate.show": "cache", "generate.model": model, "generate.length": "9"})
    assert not tab.exception
    layers = next(one for one in sketches(tab) if one["title"].startswith("What each layer"))
    named = zip(layers["names"], layers["numbers"].reshape(len(layers["names"]), -1), strict=True)
    parts = {name: float(amounts.sum()) for name, amounts in named}
    ref = doors.changed(model, TEXT)
    told = doors.ask(ref, core.analysis.filling, lengths=(9,))
    assert sum(parts.values()) == told.total[0]
    assert parts["keys"] == parts["values"]
    assert ("state" in parts) == (model == "jamba_lm")


@pytest.mark.parametrize(("model", "rows"), [("llama3_biases", None), ("mistral_window", 4)])
def test_the_numbers_in_the_cache_are_those_that_the_model_computed(model, rows):
    tab = opened(**{**SHORT, "generate.show": "cache", "generate.model": model, "generate.kept": "decoder.1.1"})
    drawn = {one["title"]: one for one in sketches(tab)}
    opened_model = core.open_model(HERE / "families" / model)
    found = core.trace(opened_model, core.read(opened_model, TEXT)).looking("decoder")[1]
    for name in ("keys", "values"):
        said = drawn[say(f"title_{name}", layer=1, group=1)]
        cells = said["numbers"].reshape(said["cells"])
        assert len(cells) == (rows or found.keys.shape[2])
        assert np.abs(cells - getattr(found, name)[0, 1].numpy()[-len(cells) :]).max() < 1e-6


def test_both_ways_of_writing_write_the_same():
    tab = opened(**{**SHORT, "generate.show": "cache", "generate.model": "llama3_biases", "generate.both": "4"})
    assert len(sketches(tab)) == 5
    tab = click(tab, "generate.compare")
    assert not tab.exception
    assert len(sketches(tab)) == 7
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


def test_a_request_whose_blocks_are_all_kept_leaves_without_a_list_of_none(smollm2):
    prompts = ["The cat sat on the mat.", "The cat sat on the mat."]
    found = core.serving.replay(smollm2, prompts, block_size=4, blocks=24, limit=4, together=2)
    leaving = [number for number, one in enumerate(found.events) if one.kind == "freed" and not one.blocks]
    assert leaving
    for language in LANGUAGES:
        words = {"generate.show": "serve", "generate.prompts": "\n".join(prompts), "generate.each": "4"}
        tab = opened(**words, **{"generate.together": "2", "generate.event": str(leaving[0]), "lang": language})
        request = found.events[leaving[0]].request + 1
        assert shows(tab, say("event_freed_none", language, request=request))


def test_a_pool_that_is_too_small_is_refused_and_the_prompts_stay():
    tab = opened(**{"generate.show": "serve", "generate.blocks": "1", "generate.prompts": TEXT})
    assert not tab.exception
    assert any("prompt 1 alone needs" in text for text in texts(tab))
    assert tab.text_area(key="field.generate.prompts").value == TEXT


@pytest.mark.parametrize(("language", "text"), [("en", "cat " * 249), ("zh", "猫" * 501)])
def test_a_prompt_over_1500_bytes_is_not_in_the_link_and_the_page_says_so(language, text):
    words = {**SHORT, "generate.show": "cache", "generate.model": "gpt2_lm", "lang": language}
    tab = opened(**{**words, "generate.forced": "3.4", "generate.step": "1"})
    tab = tab.text_area(key="field.generate.text").set_value(text).run()
    long = len(text.encode()) > link.LONGEST
    assert long == (language == "zh")
    assert ("generate.text" in address(tab)) != long
    assert not {"generate.forced", "generate.step"} & address(tab).keys()
    assert shows(tab, say("long_link", language, limit=1500)) == long
    assert address(tab)["generate.model"] == "gpt2_lm"
    assert tab.text_area(key="field.generate.text").value == text


def test_a_link_says_texts_as_long_as_there_is_room_and_nothing_that_belongs_to_the_others():
    now = (("generate.text", "a" * 900), ("generate.forced", "1.2"), ("generate.prompts", "b" * 700))
    now += (("generate.event", "3"), ("generate.block", "8"))
    assert extras.linked(now) == {"generate.text": "a" * 900, "generate.forced": "1.2", "generate.block": "8"}
    assert extras.left_out((("generate.text", "猫" * 501), ("generate.step", "1"))) == {
        "generate.text",
        "generate.step",
    }
    assert extras.left_out((("generate.text", "猫" * 500), ("generate.step", "1"))) == frozenset()


@pytest.mark.parametrize(("model", "told"), [("llama3_biases", "groups_told"), ("marian_mt", "groups_none")])
def test_what_sharing_keys_saves_is_said_where_heads_share_any(model, told):
    tab = opened(**{**SHORT, "generate.show": "cache", "generate.model": model})
    opening = {key: say(key, saved="").partition(":")[0][:30] for key in ("groups_told", "groups_none")}
    assert [key for key, words in opening.items() if shows(tab, words)] == [told]
