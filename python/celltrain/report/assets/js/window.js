// @ts-check
"use strict";

/** @typedef {[number[], (number | null)[]]} Line Instants or other places on the x axis, and values there; null breaks the line. */

/** Points for each pixel above which a line is thinned out. */
const DENSE = 4;

/**
 * Find the first of sorted values that is not below a bound.
 * @param {Numbers} values
 * @param {number} bound
 * @returns {number}
 */
function firstFrom(values, bound) {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Give what a window shows of a line: all of its points while they are few, and else, of each column of pixels, its
 * least and greatest value in the order in which they came. So no peak is lost at any zoom. One point more on each side
 * lets the line leave the window.
 * @param {Numbers} x sorted
 * @param {Numbers} y
 * @param {number} low
 * @param {number} high
 * @param {number} pixels
 * @returns {Line}
 */
function seen(x, y, low, high, pixels) {
  const from = Math.max(0, firstFrom(x, low) - 1);
  const to = Math.min(x.length, firstFrom(x, high) + 1);
  if (to - from <= DENSE * pixels) return points(x, y, from, to);
  return extremes(x, y, from, to, low, (high - low) / pixels);
}

/**
 * Give points as they are.
 * @param {Numbers} x
 * @param {Numbers} y
 * @param {number} from
 * @param {number} to
 * @returns {Line}
 */
function points(x, y, from, to) {
  return [Array.from(x.subarray(from, to)), Array.from(y.subarray(from, to), (value) => (value === value ? value : null))];
}

/**
 * Give the least and greatest value of each column of pixels. Their places are those of the column, not of the points,
 * so that all lines of a chart share them.
 * @param {Numbers} x
 * @param {Numbers} y
 * @param {number} from
 * @param {number} to
 * @param {number} low
 * @param {number} width of a column
 * @returns {Line}
 */
function extremes(x, y, from, to, low, width) {
  /** @type {Line} */
  const line = [[], []];
  let index = from;
  while (index < to) {
    const column = Math.floor((x[index] - low) / width);
    const end = low + (column + 1) * width;
    let least = index;
    let greatest = index;
    do {
      // Also takes the place of what is no number: every comparison with NaN is false.
      if (!(y[index] >= y[least])) least = y[index] === y[index] ? index : least;
      if (!(y[index] <= y[greatest])) greatest = y[index] === y[index] ? index : greatest;
      index++;
    } while (index < to && x[index] < end);
    const [first, second] = least < greatest ? [least, greatest] : [greatest, least];
    line[0].push(low + (column + 0.25) * width, low + (column + 0.75) * width);
    line[1].push(y[first] === y[first] ? y[first] : null, y[second] === y[second] ? y[second] : null);
  }
  return line;
}

/**
 * Find the point that a cursor shows: the last one before it, whose value still holds, or the nearest.
 * @param {Numbers} x
 * @param {number} at
 * @param {boolean} holds
 * @returns {number} -1 where there is none
 */
function indexAt(x, at, holds) {
  const after = firstFrom(x, at);
  if (holds) return after < x.length && x[after] === at ? after : after - 1;
  if (after === 0) return x.length ? 0 : -1;
  return after < x.length && x[after] - at < at - x[after - 1] ? after : after - 1;
}
