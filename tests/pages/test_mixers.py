"""The Mixers page: every section with models that are there, that are missing, and that were hardly taught."""

import math
from base64 import b64decode

import numpy as np
import pytest

import core
from core.training.recall.__main__ import main as recall_runs
from core.training.sentences import teaching
from core.training.sentences.__main__ import main as sentence_models
from pages.plumbing import extras
from pages.plumbing.mixers import asking
from pages.plumbing.mixers.recall import pairs_of
from tests.pages.visits import address, charts, click, shows, texts, visit

pytestmark = pytest.mark.usefixtures("there")
PAGE = "pages/mixers/mixers.py"
SECTIONS = extras.EXTRAS["mixers.show"].words
LANGUAGES = core.words.languages()
TAUGHT = ("lstm", "around", "full", "linear", "gated_delta", "mamba")
CONTESTANTS = ("full", "lstm")
TEXT = "The cat chased the dog because it was angry."


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Models of one layer and contestants after a single step of teaching, on few sentences."""
    root = tmp_path_factory.mktemp("runs")
    teaching.sentences.cache_clear()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(teaching, "SENTENCES", 600)
        _taught(root)
    teaching.sentences.cache_clear()
    return root


def _taught(root):
    sentence_models(["--out", str(root / "mixers"), "--steps", "1", "--names", *TAUGHT])
    recall_runs(["--out", str(root / "recall"), "--steps", "1", "--names", *CONTESTANTS, "--seeds", "0", "1"])


@pytest.fixture
def there(made, monkeypatch):
    yield from saved(made, monkeypatch)


@pytest.fixture
def nothing(there, tmp_path, monkeypatch):
    assert there != tmp_path
    yield from saved(tmp_path, monkeypatch)


def saved(root, monkeypatch):
    monkeypatch.setattr(core.runs, "SENTENCES", root / "mixers")
    monkeypatch.setattr(core.runs, "RECALL", root / "recall")
    forget()
    yield root
    forget()


def forget():
    for kept in (core.runs.recall, core.runs.sentences, core.runs.contestant, core.runs.taught, asking._seen):
        kept.cache_clear()


def opened(section, **words):
    return visit(PAGE, **{"mixers.show": section}, **words)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_opens_and_every_figure_has_its_source_and_its_numbers(section, language):
    tab = opened(section, lang=language)
    assert not tab.exception
    known = core.words.catalogue(language)
    sources = {text for name, text in known.items() if name.startswith("mixers.source_")}
    told = sum(text.rpartition(" · ")[2] in sources for text in texts(tab))
    assert told == len(tab.get("download_button")) > 0
    called = {button.label for button in tab.button}
    assert called >= {known[f"mixers.name_{name}"] for name in TAUGHT} or section not in ("maps", "around")


@pytest.mark.usefixtures("nothing")
@pytest.mark.parametrize("section", SECTIONS)
def test_what_is_missing_is_said_with_the_command_that_makes_it(section):
    tab = opened(section)
    assert not tab.exception
    said = {"maps": "core.training.sentences", "gates": "core.training.sentences", "recall": "core.training.recall"}
    assert shows(tab, said.get(section, "--out assets")) == (section in said)


@pytest.mark.parametrize("same", ["own", "same"])
def test_every_row_of_every_map_adds_up_to_one_and_sees_nothing_of_the_future(same):
    for name in TAUGHT:
        seen = asking.seen(name, TEXT, same=same == "same")
        assert seen.labels == ("the", "cat", "chased", "the", "dog", "because", "it", "was", "angry", ".", "</s>")
        assert np.allclose(np.nansum(np.abs(seen.shares), axis=1), 1, atol=1e-5)
        future = np.isnan(seen.shares[np.triu_indices(len(seen.labels), 1)])
        assert future.all() if name != "around" else not future.any()
        assert (seen.how == "jacobian") == (same == "same" or name in {"lstm", "around"})


def test_only_a_softmax_is_called_attention():
    tab = opened("maps", **{"mixers.big": "lstm"})
    assert shows(tab, "Frobenius norm of the Jacobian")
    heads = [text for text in texts(tab) if "attention" in text.lower()]
    assert set(heads) <= {"Softmax attention", "Linear attention"}


def test_words_outside_the_vocabulary_are_marked_and_what_is_typed_stays_literal():
    tab = opened("maps", **{"mixers.text": "The <b>zorp</b> chased the cat."})
    assert not tab.exception
    assert shows(tab, "zorp")
    assert any("zorp*" in label for label in charts(tab)[0]["data"][0]["x"])
    assert not any("<b>" in label for label in charts(tab)[0]["data"][0]["x"])


def test_a_long_text_is_cut_and_that_is_said():
    tab = opened("maps", **{"mixers.text": "the cat " * 37})
    assert shows(tab, f"first {asking.WORDS} words")
    assert len(charts(tab)[0]["data"][0]["x"]) == asking.WORDS + 1


def test_a_small_map_opens_large():
    tab = opened("maps", **{"mixers.text": TEXT})
    assert "Full, causal" in charts(tab)[0]["layout"]["title"]["text"]
    click(tab, "mixers.big.mamba")
    assert address(tab)["mixers.big"] == "mamba"
    assert "Mamba" in charts(tab)[0]["layout"]["title"]["text"]


def test_gates_are_those_of_the_models():
    tab = opened("gates", **{"mixers.text": TEXT})
    model = core.runs.taught("lstm")
    gates = core.analysis.gates(core.trace(model, core.read(model, TEXT)), 0)
    given = charts(tab)[0]["data"][1]["y"]
    mean = np.frombuffer(b64decode(given["bdata"]), given["dtype"])
    assert mean == pytest.approx(gates.values.mean(1).tolist(), rel=1e-6)
    assert len(charts(tab)) == 2 * len({"lstm", "mamba", "gated_delta"})


def test_depth_changes_what_is_left_of_a_gradient():
    shallow, deep = (opened("paths", **{"mixers.depth": depth}) for depth in ("1", "4"))
    assert charts(shallow)[0] == charts(deep)[0]
    assert charts(shallow)[1]["data"] != charts(deep)[1]["data"]
    assert charts(shallow)[1]["layout"]["yaxis"]["type"] == "log"


def test_pairs_are_read_and_the_question_is_put_to_every_model():
    assert pairs_of("red 7, blue 9;green  4 x\n lone, 白 二，黑 三") == (
        ("red", "7"),
        ("blue", "9"),
        ("green", "4"),
        ("白", "二"),
        ("黑", "三"),
    )
    tab = opened("recall", **{"mixers.pairs": "red 7, blue 9, red 8, green 1", "mixers.asked": "red"})
    assert not tab.exception
    assert shows(tab, "Right would be “\u20688\u2069”")
    assert charts(tab)[-1]["layout"]["shapes"][0]["x0"] == 4.5
    rows = charts(tab)[-1]["data"][0]
    assert len(rows["y"]) == len(CONTESTANTS)
    assert len(rows["x"]) == 9


@pytest.mark.parametrize("asked", ["green", "<b>"])
def test_a_question_about_nothing_told_is_refused_in_words(asked):
    tab = opened("recall", **{"mixers.pairs": "red 7, blue 9", "mixers.asked": asked})
    assert not tab.exception
    assert shows(tab, "which was not told")


def test_curves_are_the_mean_over_the_seeds_that_are_there():
    tab = opened("recall", **{"mixers.length": "128"})
    runs = [run for run in core.runs.recall() if run.name == "full"]
    right = [[one.right for one in run.recall if one.length == 128] for run in runs]
    assert len(runs) == 2
    assert charts(tab)[0]["data"][0]["y"] == pytest.approx([math.fsum(some) / 2 for some in zip(*right, strict=True)])
    assert shows(tab, "Window of 16")
    point = charts(tab)[2]["data"][0]
    assert point["x"] == [dict(runs[0].state)[128]]
    assert point["y"] == pytest.approx([math.fsum(some[-1] for some in right) / 2])


def test_a_box_of_the_map_of_ideas_opens_the_running_thing():
    tab = opened("around", lang="en")
    click(tab, "mixers.open.mamba")
    assert not tab.exception
    assert address(tab).items() >= {"mixers.big": "mamba"}.items()
    assert shows(tab, "Each channel has a small state")
    tab = click(opened("around", lang="en"), "mixers.open.hybrid")
    assert tab.subheader[0].value == core.words.say("en", "mixers.recall_title")


def test_every_mixer_of_the_table_has_its_words():
    for language in LANGUAGES:
        said = core.words.catalogue(language)
        for name, idea in core.analysis.spending.NAMES:
            assert all(f"mixers.{kind}_{name}" in said for kind in ("name", "what", "paper"))
            assert {f"mixers.parallel_{name}", f"mixers.parallel_{idea}"} & set(said)


def test_time_is_measured_when_it_is_asked_for():
    tab = opened("paths", lang="en")
    assert not shows(tab, "median of 3 runs")
    tab = click(tab, "mixers.time")
    assert not tab.exception
    assert shows(tab, "median of 3 runs")


def test_a_field_grows_by_the_width_of_its_kernel():
    field = charts(opened("paths", lang="en"))[2]["data"]
    heard = {curve["name"].strip("\u2068\u2069"): curve["y"] for curve in field}
    assert heard["Convolution, 4 wide"] == [4, 7, 13, 25]
    assert heard["Dilated stack"][0] == 16
    assert heard["Full, causal"] == [64] * 4


def test_the_receptive_fields_that_are_said_to_be_alike_are_alike():
    heard = {
        name: [sum(size > 0 for size in core.analysis.forgetting.reach(name, depth).sizes) for depth in (1, 2, 4)]
        for name in ("near", "convolution", "masked", "window", "dilated")
    }
    assert heard["near"] == heard["convolution"] == heard["masked"]
    assert heard["window"] == heard["dilated"]


def test_a_row_is_read_out_and_another_word_can_be_chosen():
    tab = opened("maps", **{"mixers.text": TEXT, "mixers.row": "3"})
    seen = asking.seen("full", TEXT)
    best = seen.labels[int(np.nanargmax(seen.shares[3]))]
    assert shows(tab, f"“\u2068the\u2069” takes most from “\u2068{best}\u2069” ({np.nanmax(seen.shares[3]):.2f})")


def table(tab, column):
    """Return the table that has this column, as columns by name."""
    found = next(one.value for one in tab.dataframe if column in one.value)
    return {name: list(found[name]) for name in found}


def test_what_is_lost_is_told_from_what_was_measured():
    columns = table(opened("around", lang="en"), "what is lost")
    lost = dict(zip(columns["mixer"], columns["what is lost"], strict=True))
    assert lost["Window of 16"] == "one layer hears 16 of 64 words"
    right = [run.recall[4].right for run in core.runs.recall() if run.name == "full"]
    assert lost["Full, causal"] == f"nothing: one layer hears all 64 words; {sum(right) / 2:.0%} of 24 pairs recalled"
    left = core.analysis.forgetting.reach("gru").sizes[63]
    mantissa, power = f"{left:.1e}".split("e")
    assert lost["GRU"].startswith(f"all must fit into 256 bytes; from 63 words back {mantissa} × 10")
    assert int(power) < -5


def test_every_mixer_stands_in_the_tree_with_a_line_to_each_that_it_came_from():
    tree = next(
        one for one in charts(opened("around", lang="en")) if one["layout"]["title"]["text"].find("came from") > 0
    )
    names = [name for family in tree["data"][1:] for name in family["text"]]
    assert len(names) == len(core.analysis.spending.TREE) == len(core.analysis.spending.NAMES) + 1
    lines = sum(place is None for place in tree["data"][0]["x"])
    assert lines == sum(len(after) for _, after in core.analysis.spending.TREE.values())


def test_recurrent_and_transformer_stand_in_one_table_of_what_was_measured():
    columns = table(opened("paths", lang="en"), "measured")
    rows = dict(zip(columns["measured"], zip(columns["LSTM"], columns["Full, causal"], strict=True), strict=True))
    assert rows["steps between two words 63 apart"] == ("63", "1")
    chains = [f"{core.analysis.spending.spent(name).chain[0]:,}" for name in ("lstm", "full")]
    assert rows["steps that must wait for one another"] == tuple(chains)
    stacks = {(one.name, one.around): one for one in core.runs.stacks()}
    for way, around in (("bare", False), ("residual and norm around each layer", True)):
        told = rows[f"deepest stack that still trains, {way}"]
        assert [int(one.split()[0]) for one in told] == [stacks[name, around].deepest for name in ("lstm", "full")]
    shares = {one.name: one.products for one in core.runs.times()}
    assert rows["share of the time in products of matrices"] == tuple(
        f"{shares[name]:.0%}" for name in ("lstm", "full")
    )


def test_without_saved_measurements_the_table_has_what_is_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(core.runs, "MEASURED", tmp_path)
    for kept in (core.runs.stacks, core.runs.times):
        kept.cache_clear()
    tab = opened("paths", lang="en")
    assert not tab.exception
    assert len(table(tab, "measured")["measured"]) == 3
    for kept in (core.runs.stacks, core.runs.times):
        kept.cache_clear()
