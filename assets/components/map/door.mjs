/** The component that shows a map: waits for the code and hands every call to it. */
import { waiting } from "./waiting.mjs";

export default async function door(call) {
  const place = waiting("map");
  await place.ready;
  return place.mount(call);
}
