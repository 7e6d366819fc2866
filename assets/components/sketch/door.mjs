/** The component that shows a picture: waits for the code and hands every call to it. */
import { waiting } from "../map/waiting.mjs";

export default async function door(call) {
  const place = waiting("sketch");
  await place.ready;
  return place.mount(call);
}
