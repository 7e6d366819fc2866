/** Keeps the link of a visit that has to sign in first, in this tab only, and goes there once it has. */
import { unseen } from "../map/waiting.mjs";

const KEPT = "heads-up.link";

export default function link({ data, parentElement }) {
  unseen(parentElement);
  if (data.inside) back();
  else if (!data.failed) sessionStorage.setItem(KEPT, location.pathname + location.search);
}

/** Who comes back from signing in stands on the bare page. */
function back() {
  const kept = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  if (kept === null) return;
  const there = new URL(kept, location.origin);
  if (there.origin === location.origin && there.href !== location.href) location.replace(there.href);
}
