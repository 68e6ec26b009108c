// @ts-check
"use strict";

/** @typedef {Float64Array | Float32Array | Uint8Array | Uint16Array | Uint32Array} Numbers */
/** @typedef {{length: number, start?: number, step?: number, type?: string, data?: string}} Packed */

/** Types by the names that the page uses. Browsers are little-endian, as is the page. */
const ARRAY_TYPES = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, f4: Float32Array, f8: Float64Array };

/**
 * Make the octets of base64.
 * @param {string} text
 * @returns {Uint8Array<ArrayBuffer>}
 */
function octetsOf(text) {
  const characters = atob(text);
  const octets = new Uint8Array(characters.length);
  for (let index = 0; index < octets.length; index++) octets[index] = characters.charCodeAt(index);
  return octets;
}

/**
 * Make the numbers of a packed column.
 * @param {Packed} packed
 * @returns {Promise<Numbers>}
 */
async function unpack(packed) {
  if (packed.start !== undefined && packed.step !== undefined) {
    const values = new Float64Array(packed.length);
    for (let index = 0; index < values.length; index++) values[index] = packed.start + packed.step * index;
    return values;
  }
  const stream = new Blob([octetsOf(packed.data ?? "")]).stream().pipeThrough(new DecompressionStream("deflate"));
  const Type = ARRAY_TYPES[/** @type {keyof typeof ARRAY_TYPES} */ (packed.type)];
  return new Type(await new Response(stream).arrayBuffer());
}
