/** Hands small news (choice, options, words) to the map of that name, now or when it comes. */
import { unseen } from "./waiting.mjs";

const MAPS = Symbol.for("heads-up.maps");

export default function steer({ data, parentElement }) {
  const maps = (globalThis[MAPS] ??= new Map());
  if (!maps.has(data.map)) maps.set(data.map, { steer: null, map: null });
  const place = maps.get(data.map), text = JSON.stringify(data);
  unseen(parentElement);
  if (place.text !== text || !place.steer) {
    place.text = text;
    place.steer = data;
    place.map?.steer(data);
  }
  return () => {
    if (place.steer === data) place.steer = null;
  };
}
