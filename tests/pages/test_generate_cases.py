"""Faults that people met in comparable tools, looked for on the Generate page: whose row is whose, and what one text
does to another."""

import numpy as np
import pytest

import core
from pages.plumbing import doors
from tests.golden.fixtures import HERE
from tests.pages.generating import SMALL, families, opened, say, written
from tests.pages.visits import header, payload, shows

__all__ = ["families"]
CAUSAL = ("gpt2_lm", "mistral_window", "gemma2_lm", "llama3_biases", "jamba_lm")
ANSWERING = ("marian_mt", "t5_relu_tied")
LONG = "a b c d e f g h"


def small(name="llama3_biases"):
    return core.open_model(HERE / "families" / name)


def text_of(model, count):
    """A text that is cut into so many tokens."""
    return next(LONG[:end] for end in range(1, len(LONG)) if len(core.read(model, LONG[:end])) == count)


def stitched(tab):
    """The map that the page was given [layer, head, query, key], and its header."""
    told = header(tab)
    rows, columns = told["cells"]
    size = told["layers"] * told["heads"] * rows * columns
    return told, np.frombuffer(payload(tab)[-4 * size :], "<f4").reshape(told["layers"], told["heads"], rows, columns)


@pytest.mark.parametrize(("prompt", "count"), [(4, 2), (6, 4)])
def test_the_last_token_was_never_read_so_it_has_no_row_and_is_not_on_the_axis(prompt, count):
    model = small()
    text = text_of(model, prompt)
    tab = opened(**{**SMALL, "generate.text": text, "generate.limit": str(count), "generate.stop": "never"})
    steps = list(core.generate(model, core.read(model, text), limit=count, watch=True))
    shapes = [step.rows["decoder"].shape[2:] for step in steps]
    assert shapes == [(prompt, prompt), *((1, prompt + more) for more in range(1, count))]
    told, cells = stitched(tab)
    length = prompt + count - 1
    assert told["cells"] == [length, length]
    assert len(told["rows"]["labels"]) == len(told["columns"]["labels"]) == length
    assert len(written(tab)["prompt"]) + len(written(tab)["steps"]) == length + 1
    ids = [*core.read(model, text).ids.tolist(), *(step.ident for step in steps)]
    whole = core.trace(model, core.Sample.from_ids(ids[:-1]))
    expected = np.stack([[whole.pattern(layer, head) for head in range(told["heads"])] for layer in range(len(cells))])
    assert np.abs(cells - expected).max() < 1e-5
    assert told["rules"][told["rule_of"][0]] == [[0, row + 1] for row in range(length)]


@pytest.mark.parametrize("prompts", [["a b c d e", "x"], ["x", "a b c d e", "a b"]], ids=len)
def test_prompts_of_different_lengths_that_are_served_together_write_what_each_writes_alone(prompts):
    model = small()
    words = {"generate.show": "serve", "generate.prompts": "\n".join(prompts), "generate.sharing": "apart"}
    tab = opened(**{**SMALL, **words, "generate.each": "5", "generate.together": "16"})
    assert not tab.exception
    alone = [list(core.generate(model, core.read(model, text), limit=5)) for text in prompts]
    table = next(frame.value for frame in tab.dataframe if say("wrote") in frame.value.columns)
    texts = [model.reader.of_ids([step.ident for step in steps]).text.rstrip("\ufffd") for steps in alone]
    assert list(table[say("wrote")]) == texts


@pytest.mark.parametrize("model", CAUSAL)
def test_a_text_written_with_the_cache_is_the_one_written_without(model):
    words = {"generate.show": "cache", "generate.model": model, "generate.text": "a b c d e", "generate.both": "8"}
    tab = opened(**words).button(key="generate.compare").click().run()
    assert not tab.exception
    ref = doors.changed(model, "a b c d e")
    found = doors.ask(ref, lambda trace: core.serving.compare(trace.model, trace.sample, limit=8))
    assert found.identical
    assert found.apart <= 1e-4
    first = len(core.read(small(model), "a b c d e"))
    assert [length - first for length in found.lengths] == list(range(len(found.lengths)))
    assert any(text.value.startswith(say("identical", apart="").partition("(")[0]) for text in tab.text)


@pytest.mark.parametrize("model", [*CAUSAL, *ANSWERING])
def test_a_second_prompt_is_not_touched_by_the_first(model):
    words = {**SMALL, "generate.model": model}
    tab = opened(**words, **{"generate.step": "2"})
    tab = tab.text_area(key="field.generate.text").set_value("a dog ran").run()
    fresh = opened(**{**words, "generate.text": "a dog ran"})
    after, alone = written(tab), written(fresh)
    assert after["prompt"] == alone["prompt"]
    assert [one["ident"] for one in after["steps"]] == [one["ident"] for one in alone["steps"]]
    assert after["step"] == 0


def test_the_same_seed_writes_the_same_text_and_another_seed_another():
    hot = {**SMALL, "generate.temperature": "2", "generate.limit": "12", "generate.stop": "never"}
    first, again, other = (
        [one["ident"] for one in written(opened(**hot, **{"generate.seed": seed}))["steps"]] for seed in "557"
    )
    assert first == again
    assert first != other


def test_a_top_k_above_the_vocabulary_is_the_whole_vocabulary():
    hot = {**SMALL, "generate.temperature": "1", "generate.limit": "4", "generate.seed": "3"}
    whole, clipped = (opened(**hot, **{"generate.top_k": most}) for most in ("0", "1000000"))
    assert [one["ident"] for one in written(clipped)["steps"]] == [one["ident"] for one in written(whole)["steps"]]
    assert not shows(clipped, "nan")
