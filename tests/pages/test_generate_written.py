"""The Generate page writes what the core writes: its steps, its stops, its maps, and what is forced."""

import json
import shutil

import numpy as np
import pytest

import core
from pages.plumbing import doors, extras
from pages.plumbing.generate import finished, run, stitch, write
from tests.golden.fixtures import HERE
from tests.pages.generating import SHORT, SMALL, TEXT, families, opened, say, written
from tests.pages.visits import click, header, payload, shows, sketches, texts

__all__ = ["families"]


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
    "extreme",
    [{"temperature": "0"}, {"temperature": "0.0001"}, {"top_k": "1000000"}, {"top_p": "0"}, {"top_p": "1"}],
    ids=str,
)
def test_extreme_settings_are_drawn_from_or_are_greedy(extreme):
    settings = {"temperature": "1", **extreme, "limit": "3"}
    tab = opened(**SMALL | {f"generate.{name}": word for name, word in settings.items()})
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


def test_a_forced_token_is_written_whatever_the_model_thinks_and_can_be_taken_back():
    tab = opened(**SMALL)
    before = written(tab)["steps"]
    other = before[1]["others"][3]["ident"]
    tab = opened(**{**SMALL, "generate.forced": f"{before[0]['ident']}.{other}"})
    steps = written(tab)["steps"]
    assert [one["forced"] for one in steps] == [True, True, False, False]
    assert steps[1]["ident"] == other
    assert steps[1]["probability"] == pytest.approx(before[1]["others"][3]["probability"], abs=1e-5)
    tab = click(tab, "generate.unforce")
    assert [one["ident"] for one in written(tab)["steps"]] == [one["ident"] for one in before]


def test_a_longer_text_goes_on_where_the_shorter_one_ended(monkeypatch):
    wanted = core.engine.Wanted(model=SMALL["generate.model"], text=TEXT, limit=3)
    state = {}
    monkeypatch.setattr(write.st, "session_state", state)
    short = write._current(wanted)
    made = [one for one in short.go_on(doors.engine(), "here") if isinstance(one, core.Step)]
    assert [step.ident for step in made] == [step.ident for step in short.steps]
    assert short.ended == "limit"
    longer = write._current(core.engine.Wanted(model=SMALL["generate.model"], text=TEXT, limit=5))
    assert [step.ident for step in longer.steps] == [step.ident for step in short.steps]
    made = [one for one in longer.go_on(doors.engine(), "here") if isinstance(one, core.Step)]
    assert len(made) == 2
    whole = run.Run(wanted=longer.wanted)
    list(whole.go_on(doors.engine(), "here"))
    assert [step.ident for step in whole.steps] == [step.ident for step in longer.steps]


def test_whoever_goes_away_ends_the_work():
    engine, asked = (
        doors.engine(),
        run.Run(wanted=core.engine.Wanted(model=SMALL["generate.model"], text=TEXT, limit=50)),
    )
    coming = asked.go_on(engine, "leaving")
    for _ in range(3):
        next(coming)
    assert len(engine._line) == 1
    coming.close()
    assert len(engine._line) == 0
    assert len(asked.steps) == 3
    assert asked.ended == ""


def test_a_step_that_was_under_way_does_not_undo_a_stop():
    asked = run.Run(wanted=core.engine.Wanted(model=SMALL["generate.model"], text=TEXT, limit=50))
    asked.ended = run.STOPPED
    model = core.open_model(HERE / "families" / SMALL["generate.model"])
    asked.take(next(core.generate(model, core.read(model, TEXT))))
    assert asked.ended == run.STOPPED
    assert len(asked.steps) == 1


def test_the_position_limit_ends_the_text_with_its_reason():
    positions = doors.report("gpt2_lm").spec.positions
    tab = opened(
        **{"generate.model": "gpt2_lm", "generate.text": TEXT, "generate.limit": "512", "generate.stop": "never"}
    )
    steps = written(tab)["steps"]
    assert shows(tab, say("ended_positions", count=len(steps)))
    assert len(written(tab)["prompt"]) + len(steps) == positions


@pytest.mark.parametrize("model", ["marian_mt", "gpt2_lm"])
def test_beams_are_a_tree_and_the_winner_s_rows_are_its_own(model):
    tab = opened(**{**SHORT, "generate.model": model, "generate.way": "beams", "generate.beams": "3"})
    assert not tab.exception
    found = doors.engine().search(core.engine.Wanted(model=model, text=TEXT, limit=4), beams=3)
    (tree,) = sketches(tab)
    assert tree["labels"] == [node.label for node in found.nodes]
    assert [look == "strong" for look in tree["node_looks"]] == [node.fate == "winner" for node in found.nodes]


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


def test_an_answer_shows_what_it_reads_and_what_was_written():
    tab = opened(**{**SHORT, "generate.model": "marian_mt"})
    assert header(tab)["side"] == "cross"
    assert header(tab)["cells"] == [len(written(tab)["steps"]), len(written(tab)["prompt"])]
    tab = tab.segmented_control(key="field.generate.side").set_value("decoder").run()
    assert not tab.exception
    assert header(tab)["side"] == "decoder"


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


def test_steps_that_are_added_while_others_are_drawn_change_nothing_of_the_picture(monkeypatch):
    draw = finished.component.written

    def meanwhile(data, **given):
        steps = write.st.session_state[write.RUN].steps
        steps.append(steps[-1])
        draw(data, **given)

    monkeypatch.setattr(finished.component, "written", meanwhile)
    tab = opened(**SMALL)
    assert not tab.exception
    assert len(written(tab)["steps"]) == int(SMALL["generate.limit"])
