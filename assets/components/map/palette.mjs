/** Colours: perceptually even ramps given by their own rgb stops, and six that stay apart for every eye. */
const LIGHT_INK = [[241, 243, 250], [204, 213, 248], [169, 183, 242], [137, 153, 232], [109, 123, 217], [84, 93, 197], [63, 64, 173], [45, 35, 144], [28, 19, 97]];
const DARK_INK = [[21, 22, 31], [38, 40, 75], [56, 60, 121], [74, 82, 165], [94, 107, 204], [116, 135, 236], [143, 165, 255], [174, 197, 255], [210, 229, 255]];
const STOPS = {
  viridis: [[68, 1, 84], [72, 40, 120], [62, 73, 137], [49, 104, 142], [38, 130, 142], [31, 158, 137], [53, 183, 121], [110, 206, 88], [181, 222, 43], [253, 231, 37]],
  cividis: [[0, 34, 78], [18, 53, 112], [59, 73, 108], [87, 93, 109], [112, 113, 115], [138, 134, 120], [165, 156, 116], [195, 179, 105], [225, 204, 85], [254, 232, 56]],
  magma: [[0, 0, 4], [24, 15, 61], [68, 15, 118], [114, 31, 129], [158, 47, 127], [205, 64, 113], [241, 96, 93], [253, 150, 104], [254, 202, 141], [252, 253, 191]],
};
const LIGHT_HEADS = [[0, 114, 178], [213, 94, 0], [0, 140, 105], [190, 80, 150], [176, 122, 0], [70, 70, 80]];
const DARK_HEADS = [[86, 180, 233], [255, 140, 66], [46, 204, 158], [232, 140, 195], [240, 200, 60], [205, 205, 215]];

/** The stops of a ramp; "ink" runs from paper to indigo in light, from near-black to luminous in dark. */
export const stops = (name, dark) => STOPS[name] ?? (dark ? DARK_INK : LIGHT_INK);

/** One opaque pixel as canvas memory holds it. */
export const pixel = ([red, green, blue]) => ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;

/** 256 pixels along the stops. */
export function ramp(name, dark) {
  const points = stops(name, dark), last = points.length - 1;
  return Uint32Array.from({ length: 256 }, (_, index) => {
    const at = (index / 255) * last, low = Math.min(last - 1, Math.floor(at)), part = at - low;
    return pixel([0, 1, 2].map((channel) => Math.round(points[low][channel] * (1 - part) + points[low + 1][channel] * part)));
  });
}

/** The colour of the n-th overlaid head. */
export const headColour = (index, dark) => (dark ? DARK_HEADS : LIGHT_HEADS)[index % 6];
export const OVERLAY_LIMIT = 6;

/** Shares of several heads in one pixel: inks that darken paper, lights that brighten the dark. */
export function blend(shares, colours, dark) {
  return pixel([0, 1, 2].map((channel) => {
    const base = (dark ? DARK_INK : LIGHT_INK)[0][channel];
    const left = shares.reduce((rest, share, index) => rest * (1 - share * (1 - (dark ? 255 - colours[index][channel] : colours[index][channel]) / 255)), 1);
    return Math.round(dark ? 255 - (255 - base) * left : base * left);
  }));
}

/** CSS text of a colour. */
export const css = ([red, green, blue], opacity = 1) => `rgb(${red} ${green} ${blue} / ${opacity})`;
export const unpixel = (value) => [value & 255, (value >> 8) & 255, (value >> 16) & 255];

/** How masked cells and gaps look: neither is a colour of any ramp. */
export const tones = (dark) => (dark
  ? { mask: pixel([44, 44, 47]), hatch: pixel([66, 66, 70]) }
  : { mask: pixel([232, 231, 228]), hatch: pixel([208, 206, 201]) });
