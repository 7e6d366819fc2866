/** The component that shows nothing and brings the code of pictures. */
import { mount } from "./sketch.mjs";
import { unseen, waiting } from "../map/waiting.mjs";

waiting("sketch").arrived(mount);

export default function code({ parentElement }) {
  unseen(parentElement);
}
