/** What is chosen: {side, layer, heads, query, key}; every change gives a new value. */
import { OVERLAY_LIMIT } from "./palette.mjs";

export const FIRST = { side: null, layer: 0, heads: [0], query: null, key: null };

/** The choice made to fit a frame: layers and heads that it has, positions as they are. */
export function fitted(choice, header) {
  const layer = choice.layer === null ? null : Math.min(Math.max(0, choice.layer), header.layers - 1);
  const heads = layer === null ? [] : choice.heads.filter((head) => head >= 0 && head < header.heads).slice(0, OVERLAY_LIMIT);
  return { ...choice, side: header.side, layer, heads };
}

/** One head, a layer's mean (no heads) or the mean of all (no layer) alone. */
export const choose = (choice, layer, heads) => ({ ...choice, layer, heads });

/** Adds or removes one head of the same layer; a head of another layer starts anew. `said` names what happened. */
export function toggle(choice, layer, head) {
  if (layer !== choice.layer || !choice.heads.length) return { choice: choose(choice, layer, [head]), said: choice.heads.length ? "overlay_new" : null };
  if (choice.heads.includes(head)) {
    const left = choice.heads.filter((one) => one !== head);
    return { choice: left.length ? choose(choice, layer, left) : choice, said: null };
  }
  if (choice.heads.length >= OVERLAY_LIMIT) return { choice, said: "overlay_full" };
  return { choice: choose(choice, layer, [...choice.heads, head]), said: null };
}

/** The tile an arrow key leads to: [layer, head], with head = heads for the means; wraps at the edges. */
export function step([layer, head], key, layers, heads) {
  if (layer === layers) head = heads;
  const right = (head + 1) % (heads + 1), left = (head + heads) % (heads + 1);
  if (key === "Home") return [layer, 0];
  if (key === "End") return [layer, heads];
  if (key === "ArrowRight") return [layer === layers ? 0 : layer, layer === layers ? 0 : right];
  if (key === "ArrowLeft") return layer === layers ? [layers - 1, heads] : [layer, left];
  const count = layers + (head === heads ? 1 : 0), move = key === "ArrowDown" ? 1 : count - 1;
  return [(layer + move) % count, head];
}

/** Same choice? */
export const sameChoice = (one, other) => JSON.stringify(bare(one)) === JSON.stringify(bare(other));
export const bare = ({ side, layer, heads, query, key }) => ({ side, layer, heads, query, key });
