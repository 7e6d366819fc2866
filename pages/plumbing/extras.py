"""Options that only one page has: their names in the address, what they may be, what a bare link has. Knows no
Streamlit."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from pages.plumbing import link
from pages.plumbing.state import OPENING

Allowed = Callable[[str], bool]
DECIMAL = r"\d(\.\d{1,4})?"
SHARE = r"0(\.\d{1,4})?|1"
NAME = "[a-z0-9_]{1,20}"
PUBLISHED = "[a-z0-9.-]{1,20}"
CACHED = "llama-2-7b,llama-3.1-8b,falcon-7b,deepseek-v3,mistral-7b,gemma-3-27b,jamba,mamba-2.8b"
PAIRS = "red 7, blue 9, green 4, white 2, black 5, gold 1, grey 8, pink 3"
SUBJECT = "[a-z0-9_-]{1,40}"
MEASURED = "plain,everyone,full,window,linear,mamba2,dilated,lstm"
HEAD = r"(encoder|decoder|cross)\.\d{1,3}\.(\d{1,3}(,\d{1,3}){0,5}|mean)"


@dataclass(frozen=True, kw_only=True)
class Extra:
    """One option as the word of an address: what it usually is, and whether another word may stand there.

    `words` are those that may, where they can be listed; `reach` is the first and the last number, and the step.
    `long`: what may be too long for a link, a text mostly; `of` is the text without which the option means nothing.
    """

    usual: str
    allowed: Allowed
    words: tuple[str, ...] = ()
    reach: tuple[int, int, int] = (0, 0, 1)
    long: bool = False
    of: str = ""


def one_of(*words: str, usual: str = "") -> Extra:
    """Return an option that is one of some words, in the order in which they are shown, usually the first."""
    return Extra(usual=usual or words[0], allowed=frozenset(words).__contains__, words=words)


def whole(usual: int, first: int, last: int, *, step: int = 1, of: str = "") -> Extra:
    """Return an option that is a whole number in a range, a multiple of `step`."""
    reach = (first, last, step)
    return Extra(usual=str(usual), allowed=lambda word: _number(word, *reach), reach=reach, of=of)


def some(usual: str, last: int, most: int) -> Extra:
    """Return an option that is a list of at most `most` different whole numbers up to `last`, such as "0,2,8"."""
    return Extra(usual=usual, allowed=lambda word: _numbers(word, last, most), reach=(0, last, 1))


def said(usual: str, longest: int) -> Extra:
    """Return an option that is any text of at most so many characters."""
    return Extra(usual=usual, allowed=lambda word: len(word) <= longest)


def typed(usual: str, longest: int) -> Extra:
    """Return an option that is a text of at most so many characters, too long for a link perhaps."""
    return replace(said(usual, longest), long=True)


def shaped(usual: str, pattern: str, *, of: str = "") -> Extra:
    """Return an option whose whole word fits a pattern."""
    return Extra(usual=usual, allowed=lambda word: re.fullmatch(pattern, word, re.ASCII) is not None, of=of)


EXTRAS: Mapping[str, Extra] = {
    "inside.show": one_of("cell", "projections", "knobs", "depth", "writes"),
    "inside.knob": one_of("scale", "temperature", "mask", "uniform", "drop", "one-head", "residual", "norm"),
    "inside.temperature": one_of("0.25", "0.5", "2", "4"),
    "positions.show": one_of("matrix", "linear", "blind", "schemes", "heads"),
    "positions.scheme": one_of("sinusoidal", "learned", "rotary", "alibi", "buckets"),
    "positions.length": whole(128, 1, 1_000_000),
    "positions.start": whole(0, 0, 1_000_000),
    "positions.width": whole(64, 2, 512, step=2),
    "positions.base": whole(10_000, 2, 10_000_000),
    "positions.layout": one_of("neighbours", "halves"),
    "positions.curves": some("0,16,32", 16_383, 6),
    "positions.slopes": whole(8, 1, 64),
    "positions.offset": whole(5, 0, 256),
    "positions.farthest": whole(128, 8, 512),
    "positions.text": one_of("cats", "dogs", "own"),
    "positions.order": whole(0, 0, 999),
    "positions.beyond": one_of("64", "256", "1024", usual="256"),
    "translate.show": one_of("write", "compare", "wheel", "learn", "parts"),
    "translate.model": said("translator", 200),
    "translate.text": said(OPENING, 300),
    "translate.step": shaped("", r"\d{0,4}"),
    "translate.map": shaped("", HEAD + r"(\.(\d{1,4}|-)){2}"),
    "translate.pair": whole(0, 0, 9),
    "translate.word": one_of("0", "1"),
    "translate.row": one_of("guided", "it", "word", "own"),
    "translate.own": shaped("", r"\d{1,4}(\.\d{1,4}){4}"),
    "translate.moved": whole(100, 0, 100, step=5),
    "translate.trained": whole(1000, 0, 1_000_000),
    "translate.head": shaped("", HEAD),
    "mixers.show": one_of("maps", "gates", "paths", "recall", "around"),
    "mixers.text": said(OPENING, 300),
    "mixers.terms": one_of("own", "same"),
    "mixers.big": shaped("full", NAME),
    "mixers.row": shaped("", r"\d{0,2}"),
    "mixers.drawn": shaped("elman,lstm,gru,dilated,full,mamba", rf"({NAME}(,{NAME}){{0,8}})?"),
    "mixers.depth": one_of("1", "2", "4", "8"),
    "mixers.length": one_of("64", "128", "256"),
    "mixers.pairs": said(PAIRS, 600),
    "mixers.asked": said("", 40),
    "cost.show": one_of("counted", "measured", "peers", "roofline", "reading", "keeping"),
    "cost.form": one_of("least", "plain"),
    "measured.what": shaped(MEASURED, rf"({SUBJECT}(,{SUBJECT}){{0,8}})?"),
    "measured.way": one_of("forward", "both"),
    "measured.wide": one_of("64", "256"),
    "measured.longest": one_of("1024", "4096", "16384", "65536", usual="16384"),
    "measured.saved": shaped("", SUBJECT + "|"),
    "cost.width": one_of("64", "256", "1024", usual="256"),
    "cost.rows": one_of("256", "1024", "4096", "16384", usual="1024"),
    "cost.drawn": shaped("elman,full,window,linear,mamba,mamba2", rf"({NAME}(,{NAME}){{0,8}})?"),
    "cost.model": shaped("llama-3.1-8b", PUBLISHED),
    "cost.models": shaped(CACHED, rf"({PUBLISHED}(,{PUBLISHED}){{0,8}})?"),
    "cost.chip": shaped("h100", PUBLISHED),
    "cost.length": whole(2000, 1, 10_000_000),
    "cost.batch": whole(1, 1, 65_536),
    "cost.weight": one_of("16", "8", "4"),
    "cost.kept": one_of("16", "8", "4"),
    "cost.price": shaped("2", r"\d{1,4}(\.\d{1,2})?"),
    "generate.show": one_of("write", "mask", "cache", "serve"),
    "generate.model": said("smollm2", 200),
    "generate.text": typed(OPENING.removesuffix(" tired."), 1000),
    "generate.way": one_of("sample", "beams"),
    "generate.limit": whole(16, 1, 512),
    "generate.temperature": shaped("0", DECIMAL),
    "generate.top_k": whole(0, 0, 1_000_000),
    "generate.top_p": shaped("1", SHARE),
    "generate.min_p": shaped("0", SHARE),
    "generate.seed": whole(0, 0, 1_000_000),
    "generate.stop": one_of("folder", "never", "own"),
    "generate.ends": shaped("", r"(\d{1,7}(,\d{1,7}){0,15})?"),
    "generate.forced": replace(shaped("", r"(\d{1,7}(\.\d{1,7}){0,511})?", of="generate.text"), long=True),
    "generate.step": whole(0, 0, 511, of="generate.text"),
    "generate.map": shaped("", r"(decoder|cross)\.\d{1,3}\.(\d{1,3}(,\d{1,3}){0,5}|mean)"),
    "generate.beams": whole(4, 1, 16),
    "generate.penalty": shaped("1", DECIMAL),
    "generate.first": typed(OPENING, 300),
    "generate.second": typed(OPENING.replace("tired", "wide"), 300),
    "generate.common": shaped("", r"\d{0,3}", of="generate.first"),
    "generate.head": shaped("", HEAD),
    "generate.rule": one_of("causal", "window", "prefix", "everyone"),
    "generate.reach": whole(4, 1, 12),
    "generate.length": whole(2048, 1, 1_000_000),
    "generate.kept": shaped("", r"(decoder|cross)\.\d{1,3}\.\d{1,3}"),
    "generate.both": whole(12, 1, 64),
    "generate.prompts": typed("", 1200),
    "generate.block": whole(4, 1, 64),
    "generate.blocks": whole(24, 1, 512),
    "generate.each": whole(8, 1, 32),
    "generate.together": whole(3, 1, 16),
    "generate.sharing": one_of("shared", "apart"),
    "generate.policy": one_of("longest", "power", "oracle"),
    "generate.event": whole(0, 0, 100_000, of="generate.prompts"),
}


def found(came: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the options of an address; wrong ones are left to what is usual."""
    said = {name: came[name] for name in EXTRAS if name in came and fits(name, came[name])}
    return tuple((name, word) for name, word in said.items() if word != EXTRAS[name].usual)


def fits(name: str, word: str) -> bool:
    """Tell whether a word may stand for an option."""
    return EXTRAS[name].allowed(word)


def changed(now: tuple[tuple[str, str], ...], name: str, word: str) -> tuple[tuple[str, str], ...]:
    """Return the options with one of them changed; what is usual is not written."""
    words = {**dict(now), name: word}
    return tuple(
        (option, words[option]) for option in EXTRAS if words.get(option, EXTRAS[option].usual) != EXTRAS[option].usual
    )


def replaced(came: Mapping[str, str], now: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """Return the words of an address with these options in place of those that it had."""
    return {name: word for name, word in came.items() if name not in EXTRAS} | linked(now)


def left_out(now: tuple[tuple[str, str], ...]) -> frozenset[str]:
    """Return which options a link cannot say: the texts that would make it longer than proxies take, and what means
    nothing without them."""
    room, found = link.LONGEST, set[str]()
    for name, word in now:
        size = len(word.encode("utf-8", "replace")) if EXTRAS[name].long else 0
        if size > room:
            found.add(name)
        else:
            room -= size
    return frozenset(found) | {name for name, _ in now if EXTRAS[name].of in found}


def linked(now: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """Return the options as a link says them."""
    missing = left_out(now)
    return {name: word for name, word in now if name not in missing}


def numbers(word: str) -> tuple[int, ...]:
    """Read a list of whole numbers."""
    return tuple(int(part) for part in word.split(",") if part)


def _number(word: str, first: int, last: int, step: int = 1) -> bool:
    plain = word.isascii() and word.isdecimal() and len(word) <= len(str(last))
    return plain and str(int(word)) == word and first <= int(word) <= last and int(word) % step == 0


def _numbers(word: str, last: int, most: int) -> bool:
    parts = word.split(",")
    return len(set(parts)) == len(parts) <= most and all(_number(part, 0, last) for part in parts)
