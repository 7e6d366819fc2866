/** The visitor's words: `say(words, "position", {position: 3})` fills {position}; an unknown key shows itself. */
export function say(words, key, values = {}) {
  const text = words?.[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** A share as it is read; what rounds to nothing but is something reads as less than the last digit. */
export function shareText(share, exactly = "exact", digits = 3) {
  const least = 10 ** -digits, text = share > 0 && share < least / 2 ? "<" + least.toFixed(digits) : share.toFixed(digits);
  return { exact: text, about: "≈\u2009" + text, most: "≤\u2009" + text }[exactly];
}
