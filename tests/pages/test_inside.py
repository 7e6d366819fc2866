"""Inside: every section opens for every model, says what it cannot show, and is in the address."""

import pytest

import core
from pages.plumbing import extras
from pages.plumbing.sheets import measured, sheet
from tests.golden.fixtures import HERE
from tests.pages.visits import address, shows, texts, visit

PAGE = "pages/inside/inside.py"
MODELS = [entry.name for entry in core.catalog()]
SECTIONS = extras.EXTRAS["inside.show"].words
KNOBS = extras.EXTRAS["inside.knob"].words
TIRED = "The animal didn't cross the street because it was too tired."
FAMILIES = ("marian_mt", "gemma2_lm", "qwen3_lm", "t5_relu_tied")


def inside(**address):
    return visit(PAGE, **{name.replace("__", "."): word for name, word in address.items()})


@pytest.fixture
def families(monkeypatch):
    from pages.plumbing import doors

    monkeypatch.setattr(doors.engine(), "settings", core.settings.Settings(models_root=HERE / "families"))


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize("language", core.words.languages())
@pytest.mark.parametrize("model", MODELS)
def test_every_section_opens_in_every_language_with_every_model(section, language, model):
    tab = inside(inside__show=section, lang=language, model=model)
    assert not tab.exception
    assert core.words.say(language, f"inside.{section}_title") in [element.value for element in tab.subheader]
    assert not any("{" in text for text in texts(tab))


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize("model", FAMILIES)
@pytest.mark.usefixtures("families")
def test_every_section_opens_for_every_kind_of_softmax(section, model):
    assert not inside(inside__show=section, model=model, text="The cat sat.").exception


@pytest.mark.parametrize("side", ["encoder", "decoder", "cross"])
@pytest.mark.usefixtures("families")
def test_every_side_of_a_model_that_has_three(side):
    for section in SECTIONS:
        assert not inside(inside__show=section, model="marian_mt", text="The cat sat.", side=side).exception


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.usefixtures("families")
def test_another_side_is_chosen_in_every_section(section):
    tab = inside(inside__show=section, model="marian_mt", text="The cat sat.", layer="0")
    tab = tab.selectbox(key="field.inside.side").set_value("cross").run()
    assert not tab.exception
    assert address(tab)["side"] == "cross"
    assert address(tab)["layer"] == "0"


@pytest.mark.parametrize("knob", KNOBS)
@pytest.mark.parametrize("model", MODELS)
def test_every_knob_of_every_model(knob, model):
    tab = inside(inside__show="knobs", inside__knob=knob, model=model)
    assert not tab.exception
    assert shows(tab, core.words.say("en", f"inside.knob_{knob}_note"))


def test_the_famous_cell_is_followed_from_its_products_to_its_share():
    tab = inside()
    assert shows(tab, "0.6768 of its attention")
    formulas = " ".join(element.value for element in tab.latex)
    assert "21.69" in formulas
    assert r"\frac{21.69}{\sqrt{32}} = 3.834" in formulas
    assert r"\frac{1}{1.477} = 0.6768" in formulas


def test_what_the_rule_forbids_is_said_and_has_no_share():
    tab = inside(model="smollm2", query="2", key="5")
    assert shows(tab, "its score becomes −∞, and its share exactly zero")


def test_grouped_keys_are_shown_as_what_they_are():
    assert shows(
        inside(model="smollm2", inside__show="projections", heads="5"), "Query head 5 uses key and value head 1"
    )


def test_a_model_without_an_output_head_says_so():
    tab = inside(inside__show="writes")
    assert shows(tab, core.words.say("en", "errors.no_output", name="minilm"))


def test_infinite_numbers_are_said_and_the_page_stays():
    tab = inside(inside__show="knobs", inside__knob="norm", model="smollm2")
    assert not tab.exception
    assert shows(tab, "numbers became infinite")
    assert core.words.say("en", "inside.stacks") in [element.value for element in tab.subheader]


def test_two_visitors_with_different_knobs_on_one_model_see_only_their_own(minilm):
    trace, chosen = core.trace(minilm, core.read(minilm, TIRED)), core.Choice(layer=3, heads=(1,))
    turned = {
        value: core.analysis.knobs.turned(trace, chosen, (core.changes.Temperature(value=float(value)),))
        for value in ("0.25", "4")
    }
    said = {value: f"{told.moved:.0%} of this head’s attention went elsewhere" for value, told in turned.items()}
    knob = {"inside__show": "knobs", "inside__knob": "temperature"}
    tabs = {value: inside(**knob, inside__temperature=value) for value in said}
    for _ in range(2):
        for value, tab in tabs.items():
            (other,) = set(said) - {value}
            again = tab.selectbox(key="field.inside.layer").set_value(4).run()
            again = again.selectbox(key="field.inside.layer").set_value(3).run()
            assert shows(again, said[value])
            assert not shows(again, said[other])
    assert shows(inside(), "0.6768 of its attention")


@pytest.mark.usefixtures("families")
def test_a_knob_in_an_encoder_decoder_is_compared_over_the_same_answer():
    for side in ("decoder", "cross"):
        tab = inside(inside__show="knobs", inside__knob="scale", model="bart_lm", text="The cat sat.", side=side)
        assert not tab.exception
        assert shows(tab, "of this head’s attention went elsewhere")


@pytest.mark.usefixtures("families")
def test_every_step_says_how_far_it_is_from_the_fast_run():
    tab = inside(model="gemma2_lm", text="The cat sat.")
    twins = [text for text in texts(tab) if "never writes this step down" in text]
    assert len(twins) == 4  # the row of products, scaled, capped, masked
    assert shows(tab, "multiplies all heads by W_O at once")


def test_without_the_mask_the_future_leaks_and_an_encoder_has_none_to_lose():
    assert shows(inside(inside__show="knobs", inside__knob="mask", model="smollm2"), "the future leaks")
    encoder = inside(inside__show="knobs", inside__knob="mask")
    assert shows(encoder, "0% of this head’s attention went elsewhere")
    assert not shows(encoder, "the future leaks")


@pytest.mark.usefixtures("families")
def test_an_own_scale_a_cap_and_a_bias_are_steps_of_their_own():
    capped = inside(model="gemma2_lm", text="The cat sat.")
    assert shows(capped, "so that none exceeds")
    biased = inside(model="t5_relu_tied", text="The cat sat.")
    assert shows(biased, "it multiplies by its own number, 1")
    assert shows(biased, "a bias that depends on the two places")


def test_what_was_chosen_is_in_the_address_and_comes_back():
    tab = inside(model="smollm2", inside__show="knobs")
    tab = tab.segmented_control(key="field.inside.knob").set_value("temperature").run()
    tab = tab.segmented_control(key="field.inside.temperature").set_value("4").run()
    tab = tab.selectbox(key="field.inside.layer").set_value(7).run()
    tab = tab.selectbox(key="field.inside.head").set_value(3).run()
    wanted = {"inside.show": "knobs", "inside.knob": "temperature", "inside.temperature": "4"}
    assert address(tab).items() >= (wanted | {"layer": "7", "heads": "3"}).items()
    again = visit(PAGE, **address(tab))
    assert texts(again) == texts(tab)


def test_a_token_chosen_here_is_in_the_address_as_on_the_heads_page():
    tab = inside()
    tab = tab.selectbox(key="field.inside.key").set_value(8).run()
    assert shows(tab, "gives “\u2068street\u2069” 0.050")
    assert address(tab)["key"] == "8"


def test_numbers_are_written_as_people_read_them():
    cases = {0.0: "0", 0.67684: "0.6768", -3.0: "−3", 4.1e-7: "4.1 × 10⁻⁷", 2.25e5: "2.2 × 10⁵", float("-inf"): "−∞"}
    assert {value: measured(value) for value in cases} == cases


def test_a_sheet_gives_every_float32_back_and_keeps_short_columns_short():
    assert sheet({"a": ["x", "y"], "b": [0.1]}) == "a,b\r\nx,0.1\r\ny,\r\n"
