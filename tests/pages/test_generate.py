"""The Generate page: every section, what it says of every kind of model, and that its numbers are the core's."""

import json
import shutil
from types import SimpleNamespace

import numpy as np
import pytest

import core
from pages.plumbing import doors, extras
from pages.plumbing.generate import run, stitch, write
from tests.golden.fixtures import HERE
from tests.pages.generating import SHORT, TEXT, opened, say, written
from tests.pages.visits import address, click, header, payload, shows, texts

LANGUAGES = core.words.languages()
SECTIONS = extras.EXTRAS["generate.show"].words
WRITERS = ("gpt2_lm", "mistral_window", "gemma2_lm", "llama3_biases", "marian_mt", "t5_relu_tied", "jamba_lm")


@pytest.fixture
def families(monkeypatch):
    monkeypatch.setattr(doors.engine(), "settings", core.settings.Settings(device="cpu", models_root=HERE / "families"))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_opens_and_every_figure_has_its_source_and_its_numbers(section, language):
    tab = opened(**{**SHORT, "generate.show": section, "lang": language})
    assert not tab.exception
    assert say(f"{section}_title", language) in [element.value for element in tab.subheader]
    assert not any("{" in text for text in texts(tab))
    known = core.words.catalogue(language)
    sources = {text for name, text in known.items() if name.startswith("generate.source_")}
    sheets = [element.proto.label for element in tab.get("download_button")]
    assert sheets
    assert set(sheets) == {say("csv", language)}
    assert sum(text.rpartition(" · ")[2] in sources for text in texts(tab)) == len(sheets)


@pytest.mark.usefixtures("families")
@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize("model", WRITERS)
def test_every_kind_of_writer_opens_or_says_why_not(model, section):
    tab = opened(**{**SHORT, "generate.show": section, "generate.model": model})
    assert not tab.exception
    assert say(f"{section}_title") in [element.value for element in tab.subheader]
    if section == "write":
        assert written(tab)["steps"]


@pytest.mark.usefixtures("families")
@pytest.mark.parametrize("model", ["minilm", "bert_mlm", "gpt2_classes"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_model_that_cannot_write_says_so_and_the_prompt_stays(model, language):
    tab = opened(**{**SHORT, "generate.model": model, "lang": language})
    assert not tab.exception
    refused = core.words.catalogue(language)
    told = "errors.classes_only" if model == "gpt2_classes" else "errors.not_a_writer"
    assert shows(tab, refused[told].format(name=model, came="encoder").split("。")[0])
    assert tab.text_area(key="field.generate.text").value == TEXT


def test_what_is_written_is_what_the_core_writes(smollm2):
    tab = opened(**{"generate.limit": "5"})
    prompt = extras.EXTRAS["generate.text"].usual
    steps = list(core.generate(smollm2, core.read(smollm2, prompt), limit=5))
    drawn = written(tab)
    assert [one["ident"] for one in drawn["steps"]] == [step.ident for step in steps]
    for one, step in zip(drawn["steps"], steps, strict=True):
        assert one["probability"] == pytest.approx(step.probability, abs=1e-5)  # float32 after other threads
        assert [other["ident"] for other in one["others"]] == list(step.others)
    assert shows(tab, "".join(step.text for step in steps).strip())
    assert shows(tab, say("ended_limit", count=5))


def test_the_map_on_the_screen_is_that_of_one_pass_and_what_was_never_computed_is_blank(smollm2):
    tab = opened(**{"generate.limit": "4"})
    told, prompt = header(tab), extras.EXTRAS["generate.text"].usual
    steps = list(core.generate(smollm2, core.read(smollm2, prompt), limit=4))
    ids = [*core.read(smollm2, prompt).ids.tolist(), *(step.ident for step in steps)]
    whole = core.trace(smollm2, core.Sample.from_ids(ids[:-1]))
    assert told["cells"] == [len(ids) - 1] * 2
    rules = told["rules"][told["rule_of"][3]]
    assert rules == [[0, row + 1] for row in range(len(ids) - 1)]
    frame = payload(tab)
    cells = np.frombuffer(frame, "<f4" if told["type"] == "f4" else "u1")[-30 * 9 * len(rules) ** 2 :]
    shares = cells.reshape(30, 9, len(rules), len(rules))
    assert np.abs(shares[3, 2] - whole.pattern(3, 2)).max() < 1e-5


@pytest.mark.parametrize(
    "words",
    [
        {"generate.temperature": "0.7", "generate.seed": "5", "generate.top_k": "20", "generate.top_p": "0.9"},
        {"generate.stop": "own", "generate.ends": "0,2", "generate.min_p": "0.05", "generate.step": "2"},
        {"generate.forced": "2068.253", "generate.limit": "4", "generate.map": "decoder.3.2", "lang": "zh"},
        {"generate.show": "serve", "generate.block": "8", "generate.event": "3", "generate.sharing": "apart"},
    ],
    ids=lambda words: next(iter(words)),
)
def test_a_link_opens_the_same_page_with_the_same_options(words):
    first = opened(**words)
    assert not first.exception
    assert address(first).items() >= words.items()
    second = opened(**address(first))
    assert address(second) == address(first)
    assert texts(second) == texts(first)


def test_wrong_options_fall_to_what_the_page_opens_with():
    wrong = {"generate.temperature": "-1", "generate.top_p": "1.5", "generate.limit": "0", "generate.forced": "a"}
    tab = opened(**wrong, **{"generate.show": "everything"})
    assert not tab.exception
    assert not any(name.startswith("generate") for name in address(tab))


@pytest.mark.parametrize(
    "extreme",
    [{"temperature": "0"}, {"temperature": "0.0001"}, {"top_k": "1000000"}, {"top_p": "0"}, {"top_p": "1"}],
    ids=str,
)
def test_extreme_settings_are_drawn_from_or_are_greedy(extreme):
    settings = {"temperature": "1", **extreme, "limit": "3"}
    tab = opened(**{f"generate.{name}": word for name, word in settings.items()})
    assert not tab.exception
    steps = written(tab)["steps"]
    assert all(np.isfinite([one["probability"], one["entropy"], one["chance"]]).all() for one in steps)
    if extreme in ({"temperature": "0"}, {"temperature": "0.0001"}, {"top_p": "0"}):
        assert [one["rank"] for one in steps] == [0, 0, 0]


def test_the_end_tokens_of_generation_config_are_shown_and_obeyed(monkeypatch, tmp_path):
    folder = tmp_path / "ended"
    shutil.copytree(HERE / "families" / "gpt2_lm", folder)
    model = core.open_model(folder)
    first = next(core.generate(model, core.read(model, TEXT))).ident
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": [0, first]}))
    monkeypatch.setattr(doors.engine(), "settings", core.settings.Settings(device="cpu", models_root=tmp_path))
    tab = opened(**{**SHORT, "generate.model": "ended", "generate.limit": "12"})
    assert not tab.exception
    (shown,) = [one for one in texts(tab) if one.startswith("These tokens end the text")]
    assert "(0)" in shown
    assert f"({first})" in shown
    assert [one["ident"] for one in written(tab)["steps"]] == [first]
    assert any("a token that ends a text" in one for one in texts(tab))
    never = opened(**{**SHORT, "generate.model": "ended", "generate.limit": "12", "generate.stop": "never"})
    assert len(written(never)["steps"]) == 12
    assert shows(never, say("ends_never"))


def test_zero_is_an_end_token_like_any_other():
    tab = opened(**{**SHORT, "generate.stop": "own", "generate.ends": "0,2"})
    (shown,) = [one for one in texts(tab) if one.startswith("These tokens end the text")]
    assert "<|endoftext|>" in shown
    assert "(0)" in shown


def test_options_are_set_on_the_page_and_written_into_the_address():
    tab = opened(**{"generate.limit": "3"})
    tab = tab.number_input(key="field.generate.temperature").set_value(0.85).run()
    assert address(tab)["generate.temperature"] == "0.85"
    tab = click(tab, "generate.another")
    assert address(tab)["generate.seed"] == "1"
    tab = click(tab, "generate.more")
    assert address(tab)["generate.limit"] == "19"
    assert len(written(tab)["steps"]) == 19


def test_a_forced_token_is_written_whatever_the_model_thinks_and_can_be_taken_back():
    tab = opened(**{"generate.limit": "4"})
    before = written(tab)["steps"]
    other = before[1]["others"][3]["ident"]
    tab = opened(**{"generate.limit": "4", "generate.forced": f"{before[0]['ident']}.{other}"})
    steps = written(tab)["steps"]
    assert [one["forced"] for one in steps] == [True, True, False, False]
    assert steps[1]["ident"] == other
    assert steps[1]["probability"] == pytest.approx(before[1]["others"][3]["probability"], abs=1e-5)
    tab = click(tab, "generate.unforce")
    assert [one["ident"] for one in written(tab)["steps"]] == [one["ident"] for one in before]


def test_a_longer_text_goes_on_where_the_shorter_one_ended(monkeypatch):
    wanted = core.engine.Wanted(model="smollm2", text=TEXT, limit=3)
    state = {}
    monkeypatch.setattr(write.st, "session_state", state)
    short = write._current(wanted)
    made = [one for one in short.go_on(doors.engine(), "here") if isinstance(one, core.Step)]
    assert [step.ident for step in made] == [step.ident for step in short.steps]
    assert short.ended == "limit"
    longer = write._current(core.engine.Wanted(model="smollm2", text=TEXT, limit=5))
    assert [step.ident for step in longer.steps] == [step.ident for step in short.steps]
    made = [one for one in longer.go_on(doors.engine(), "here") if isinstance(one, core.Step)]
    assert len(made) == 2
    whole = run.Run(wanted=longer.wanted)
    list(whole.go_on(doors.engine(), "here"))
    assert [step.ident for step in whole.steps] == [step.ident for step in longer.steps]


def test_whoever_goes_away_ends_the_work():
    engine, asked = doors.engine(), run.Run(wanted=core.engine.Wanted(model="smollm2", text=TEXT, limit=50))
    coming = asked.go_on(engine, "leaving")
    for _ in range(3):
        next(coming)
    assert len(engine._line) == 1
    coming.close()
    assert len(engine._line) == 0
    assert len(asked.steps) == 3
    assert asked.ended == ""


def test_a_step_that_was_under_way_does_not_undo_a_stop(smollm2):
    asked = run.Run(wanted=core.engine.Wanted(model="smollm2", text=TEXT, limit=50))
    asked.ended = run.STOPPED
    asked.take(next(core.generate(smollm2, core.read(smollm2, TEXT))))
    assert asked.ended == run.STOPPED
    assert len(asked.steps) == 1


def test_a_text_that_may_become_long_is_written_without_its_maps_and_says_so():
    tab = opened(**{"generate.limit": "512", "generate.text": "One, two, three", "generate.stop": "own"} | _comma())
    assert not tab.exception
    assert shows(tab, say("too_wide", most=run.most(270)))


def _comma():
    """End at the first comma, so that the text is short all the same."""
    return {"generate.ends": "28"}


@pytest.mark.usefixtures("families")
def test_the_position_limit_ends_the_text_with_its_reason():
    positions = doors.report("gpt2_lm").spec.positions
    tab = opened(
        **{"generate.model": "gpt2_lm", "generate.text": TEXT, "generate.limit": "512", "generate.stop": "never"}
    )
    steps = written(tab)["steps"]
    assert shows(tab, say("ended_positions", count=len(steps)))
    assert len(written(tab)["prompt"]) + len(steps) == positions


@pytest.mark.usefixtures("families")
@pytest.mark.parametrize("model", ["marian_mt", "gpt2_lm"])
def test_beams_are_a_tree_and_the_winner_s_rows_are_its_own(model):
    tab = opened(**{**SHORT, "generate.model": model, "generate.way": "beams", "generate.beams": "3"})
    assert not tab.exception
    found = doors.engine().search(core.engine.Wanted(model=model, text=TEXT, limit=4), beams=3)
    (chart,) = [json.loads(element.proto.spec) for element in tab.get("plotly_chart")]
    drawn = sum(len(trace["x"]) for trace in chart["data"] if trace["mode"] == "markers+text")
    assert drawn == len(found.nodes)


@pytest.mark.usefixtures("families")
@pytest.mark.parametrize(("model", "side"), [("marian_mt", "cross"), ("marian_mt", "decoder"), ("gpt2_lm", "decoder")])
def test_the_maps_of_beam_search_are_one_pass_over_the_winner_in_every_head(model, side):
    words = {**SHORT, "generate.model": model, "generate.way": "beams", "generate.beams": "3"}
    tab = opened(**words, **{"generate.map": f"{side}.0.0"})
    assert not tab.exception
    found = doors.engine().search(core.engine.Wanted(model=model, text=TEXT, limit=4), beams=3)
    whole = core.trace(core.open_model(HERE / "families" / model), found.answered)
    told, layers = header(tab), whole.layers(side)
    heads, rows, columns = whole.looking(side)[0].shape
    assert (told["side"], told["cells"]) == (side, [rows, columns])
    shares = np.frombuffer(payload(tab)[-4 * len(layers) * heads * rows * columns :], "<f4")
    shares = shares.reshape(len(layers), heads, rows, columns)
    expected = np.stack([[whole.pattern(layer, head, side) for head in range(heads)] for layer in range(len(layers))])
    assert np.abs(shares - expected).max() < 1e-5


@pytest.mark.usefixtures("families")
def test_an_answer_shows_what_it_reads_and_what_was_written():
    tab = opened(**{**SHORT, "generate.model": "marian_mt"})
    assert header(tab)["side"] == "cross"
    assert header(tab)["cells"] == [len(written(tab)["steps"]), len(written(tab)["prompt"])]
    tab = tab.segmented_control(key="field.generate.side").set_value("decoder").run()
    assert not tab.exception
    assert header(tab)["side"] == "decoder"


@pytest.mark.parametrize("text", ["<b>x</b> ![y](https://evil.example/p.png) $z$", "q", "猫", "\u202ex y", "🙂"])
def test_odd_prompts_open_and_are_never_read_as_markup(text):
    tab = opened(**{"generate.text": text, "generate.limit": "3"})
    assert not tab.exception
    parsed = [element.value for element in (*tab.markdown, *tab.caption, *tab.title, *tab.subheader)]
    assert len(text) == 1 or not any(text in shown for shown in parsed)
    assert tab.text_area(key="field.generate.text").value == text


def test_without_a_prompt_it_says_what_to_do():
    tab = opened(**{"generate.text": "", "lang": "zh"})
    assert not tab.exception
    assert shows(tab, say("blank", "zh"))


def test_many_maps_are_drawn_in_blocks_of_their_largest_cells():
    cells = np.full((30, 9, 70, 70), np.nan, dtype=np.float32)
    rows, columns = np.tril_indices(70)
    cells[:, :, rows, columns] = 0.5
    cells[4, 2, 69, 3] = 0.75
    found = stitch.maps(cells, "decoder", list(map(str, range(70))), list(map(str, range(70))))
    assert not found.full
    assert found.block == (2, 2)
    assert found.cells[4, 2, 34, 1] == 255
    told, exact = stitch.exact(cells, core.Choice(side="decoder", layer=4, heads=(2,), query=69, key=None), None)
    assert told == {"layer": 4, "heads": [2]}
    assert np.frombuffer(exact, np.float32).reshape(70, 70)[69, 3] == 0.75


@pytest.mark.parametrize("came", [None, {}, {"serial": "x", "step": 1}, {"step": "1"}, {"step": -1}, {"step": True}])
def test_what_the_browser_reports_is_checked(came, monkeypatch):
    from pages.plumbing.generate import finished

    asked = run.Run(wanted=core.engine.Wanted(model="smollm2", text=TEXT), steps=[SimpleNamespace()] * 3)
    if came and "serial" not in came:
        came = {"serial": f"{asked.wanted!r}", **came}
    state = {finished.KEY: {"step": came}, finished.SHOWN: asked}
    monkeypatch.setattr(finished.st, "session_state", state)
    assert finished._came("step") is None
