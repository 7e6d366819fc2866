/** The component that shows nothing and brings the code. */
import { mount } from "./map.mjs";
import { unseen, waiting } from "./waiting.mjs";

waiting("map").arrived(mount);

export default function code({ parentElement }) {
  unseen(parentElement);
}
