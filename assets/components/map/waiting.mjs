/** Where the code of the map, which travels once, and the maps, which travel with every sentence, find each other. */
const CODE = Symbol.for("heads-up.code");

/** {mount, arrived, ready}: `ready` is kept when somebody says `arrived(mount)`. */
export function waiting() {
  if (!globalThis[CODE]) {
    const place = (globalThis[CODE] = { mount: null });
    place.ready = new Promise((resolve) => {
      place.arrived = (mount) => {
        place.mount = mount;
        resolve();
      };
    });
  }
  return globalThis[CODE];
}

/** Takes an element that shows nothing out of the flow of the page, so that it leaves no gap. */
export function unseen(parent) {
  const box = parent.host?.closest('[data-testid="stElementContainer"]');
  if (box) box.style.position = "absolute";
}
