/** How untrusted labels are drawn: never blank, never able to turn their surroundings around. */
const STAND_INS = { "\n": "↵", "\r": "␍", "\t": "⇥", "\u00a0": "⍽", "\u3000": "□" };
const UNSEEN = /[\p{Cc}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb]/gu;
const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]|\ud802[\udc00-\udfff]|\ud83a[\udc00-\udfff]/;
const LEFT = /[A-Za-z\u00c0-\u024f\u0370-\u058f\u0900-\u1fff\u3040-\u9fff\uac00-\ud7a3]/;
const GRAPHEMES = typeof Intl === "object" && Intl.Segmenter ? new Intl.Segmenter() : null;

const named = (character) => "⟨U+" + character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0") + "⟩";

/** One label as it is drawn: marks for white space, ∅ for nothing, ⟨U+202E⟩ for what cannot be seen. */
export function drawn(label) {
  if (label === "") return "∅";
  const text = label.replace(/[\n\r\t\u00a0\u3000]/g, (character) => STAND_INS[character])
    .replace(UNSEEN, named).replace(LONE, named)
    .replace(/^ +| +$/g, (spaces) => "·".repeat(spaces.length));
  if (/^\p{M}/u.test(text)) return "◌" + text;
  return /^[\p{Cf}\p{Z}]+$/u.test(text) ? Array.from(text, named).join("") : text;
}

/** A drawn label inside a sentence: isolated, so that right-to-left text stays within itself. */
export const isolated = (label) => "\u2068" + drawn(label) + "\u2069";

const BELOW = "₀₁₂₃₄₅₆₇₈₉";

/** Which of its like a label is, small and below; nothing where it has no like. */
export const below = (number) => (number ? String(number).replace(/\d/g, (digit) => BELOW[digit]) : "");

/** One unit in words: its label, and which of its like it is. */
export const unitName = ({ labels, alike }, unit) => isolated(labels[unit]) + below(alike?.[unit]);

/** The characters a reader sees, so that an emoji is never cut in half. */
export const graphemes = (text) => (GRAPHEMES ? Array.from(GRAPHEMES.segment(text), (part) => part.segment) : Array.from(text));

/** `text` with its middle left out until `width(text)` is at most `limit`. */
export function shorten(text, limit, width) {
  if (width(text) <= limit) return text;
  const parts = graphemes(text);
  const cut = (kept) => parts.slice(0, Math.ceil(kept / 2)).join("") + "…" + parts.slice(parts.length - Math.floor(kept / 2)).join("");
  let low = 1, high = Math.min(parts.length - 1, 400);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (width(cut(middle)) <= limit) low = middle;
    else high = middle - 1;
  }
  return cut(low);
}

/** "rtl" where most labels with a direction run right to left, else "ltr". */
export function direction(labels) {
  const right = labels.filter((label) => RIGHT.test(label)).length;
  const left = labels.filter((label) => !RIGHT.test(label) && LEFT.test(label)).length;
  return right > left ? "rtl" : "ltr";
}
