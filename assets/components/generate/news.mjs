/** Brings one step to the text of that name, now or when it comes; shows nothing itself. */
import { unseen } from "../map/waiting.mjs";

const LIVE = Symbol.for("heads-up.live");

export default function news({ data, parentElement }) {
  const places = (globalThis[LIVE] ??= new Map()), place = places.get(data.serial) ?? {};
  places.set(data.serial, place);
  unseen(parentElement);
  if (place.news?.number >= data.number) return;
  place.news = data;
  place.show?.(data);
}
