/** One frame: u32 header length | JSON header | float32 maxima | cells of every head | extra. A map is
 *  {data, scale, rows, columns, block, exactly}: share = data[row * columns + column] * scale. */
export function decode(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const count = header.layers * header.heads, cells = count * header.cells[0] * header.cells[1];
  const first = 4 + length + 4 * count, wide = header.type === "f4" ? 4 : 1;
  return {
    header, bytes, means: new Map(), masks: new Map(),
    maxima: floats(bytes, 4 + length, count),
    cells: wide === 4 ? floats(bytes, first, cells) : bytes.subarray(first, first + cells),
    end: first + wide * cells, begin: 4 + length,
  };
}

/** `count` little-endian float32 from any offset: the message's own offset is not aligned. */
export function floats(bytes, offset, count) {
  const from = bytes.byteOffset + offset;
  return new Float32Array(bytes.buffer.slice(from, from + 4 * count));
}

/** Are these the same bytes? */
export function sameBytes(one, other) {
  return one === other || (one.length === other.length && one.every((byte, index) => byte === other[index]));
}

/** Do two frames draw the same trace in the same units (whatever extra they carry)? */
export function sameTrace(one, other) {
  const bare = ({ header }) => JSON.stringify({ ...header, extra: null });
  return bare(one) === bare(other) && sameBytes(one.bytes.subarray(one.begin, one.end), other.bytes.subarray(other.begin, other.end));
}

/** What the frame holds of one head: exact, about (a byte per cell), or at most (block maxima). */
export function headMap(frame, layer, head) {
  const { header, cells, maxima } = frame, [rows, columns] = header.cells;
  const index = layer * header.heads + head, size = rows * columns;
  return {
    data: cells.subarray(index * size, (index + 1) * size),
    scale: header.type === "f4" ? 1 : maxima[index] / 255,
    rows, columns, block: header.full ? [1, 1] : header.block, exactly: exactness(header),
  };
}

const exactness = (header) => (!header.full ? "most" : header.type === "f4" ? "exact" : "about");

/** The mean over the heads of `layer`, or over all layers where it is null, of what the frame holds. */
export function meanMap(frame, layer) {
  if (!frame.means.has(layer)) frame.means.set(layer, meanOf(partsOf(frame, layer)));
  return frame.means.get(layer);
}

function partsOf(frame, layer) {
  const { layers, heads } = frame.header;
  if (layer === null) return Array.from({ length: layers }, (_, index) => meanMap(frame, index));
  return Array.from({ length: heads }, (_, head) => headMap(frame, layer, head));
}

/** The mean of maps of one shape; as exact as the least exact of them. */
export function meanOf(maps) {
  if (maps.length === 1) return maps[0];
  const sum = new Float64Array(maps[0].data.length);
  for (const { data, scale } of maps) for (let at = 0; at < sum.length; at++) sum[at] += data[at] * scale;
  const order = ["exact", "about", "most"];
  const exactly = order[Math.max(...maps.map((map) => order.indexOf(map.exactly)))];
  return { ...maps[0], data: Float32Array.from(sum, (value) => value / maps.length), scale: 1, exactly };
}

/** One map as the route sends it: float32 shares, or a float32 maximum and a byte per cell. */
export function fetchedMap(bytes, type, rows, columns) {
  if (type === "f4") return { data: floats(bytes, 0, rows * columns), scale: 1, rows, columns, block: [1, 1], exactly: "exact" };
  const scale = floats(bytes, 0, 1)[0] / 255;
  return { data: bytes.subarray(4), scale, rows, columns, block: [1, 1], exactly: "about" };
}

/** What rides behind the cells where no route answers: the chosen map, and the chosen cell in every head. */
export function extraOf(frame) {
  const { header, bytes, end } = frame, { extra, layers, heads } = header;
  if (!extra) return null;
  const rows = header.rows.labels.length, columns = header.columns.labels.length, after = end + 4 * rows * columns;
  const cell = bytes.length >= after + 4 * layers * heads ? floats(bytes, after, layers * heads) : null;
  return { layer: extra.layer, heads: extra.heads, map: fetchedMap(bytes.subarray(end), "f4", rows, columns), cell };
}

/** The share of one cell; of the block it lies in where the map is coarse. */
export function shareAt(map, row, column) {
  const [down, across] = map.block;
  return map.data[Math.floor(row / down) * map.columns + Math.floor(column / across)] * map.scale;
}

/** A whole row (what one query looks at) or column (who looks at one key), in units. */
export const rowOf = (map, row, columns) => Float32Array.from({ length: columns }, (_, column) => shareAt(map, row, column));
export const columnOf = (map, column, rows) => Float32Array.from({ length: rows }, (_, row) => shareAt(map, row, column));

/** The largest share of a map. */
export function largest(map) {
  let most = 0;
  for (let at = 0; at < map.data.length; at++) if (map.data[at] > most) most = map.data[at];
  return most * map.scale;
}
