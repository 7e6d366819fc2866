/** Where code, which travels once, and what it draws, which travels with every sentence, find each other. */
const CODES = Symbol.for("heads-up.codes");

/** {mount, arrived, ready} of the code of that name: `ready` is kept when somebody says `arrived(mount)`. */
export function waiting(name) {
  const codes = (globalThis[CODES] ??= new Map());
  if (!codes.has(name)) {
    const place = { mount: null };
    codes.set(name, place);
    place.ready = new Promise((resolve) => {
      place.arrived = (mount) => {
        place.mount = mount;
        resolve();
      };
    });
  }
  return codes.get(name);
}

/** Takes an element that shows nothing out of the flow of the page, so that it leaves no gap. */
export function unseen(parent) {
  const box = parent.host?.closest('[data-testid="stElementContainer"]');
  if (box) box.style.position = "absolute";
}
