/** Mounts sketches, and gives those that are there other numbers. */
import { alike, unpacked } from "./packed.mjs";
import { picture } from "./picture.mjs";
import { table } from "./table.mjs";

const SKETCHES = new WeakMap();

/** Shows these bytes; the same again leave everything alone, unless the page has become light or dark. Only the newest call may take a sketch away: one that was
 *  overtaken is ended while the sketch stays. */
export function mount({ data, parentElement }) {
  const known = SKETCHES.get(parentElement), packed = alike(known?.bytes ?? null, data) ? null : unpacked(data.slice());
  const s = known ?? { ...(packed.header.table ? table : picture)(parentElement), bytes: null };
  SKETCHES.set(parentElement, s);
  if (packed) {
    s.bytes = packed.bytes;
    s.show(packed);
  } else s.dimmed();
  const call = (s.newest = {});
  return () => {
    if (s.newest !== call) return;
    s.end();
    SKETCHES.delete(parentElement);
  };
}
