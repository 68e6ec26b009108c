// @ts-check
"use strict";

/**
 * Write a number for people: five significant digits, no grouping, alike in every locale.
 * @param {number | null | undefined} value
 * @returns {string}
 */
function numberText(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4) return powerText(value);
  return String(Number(value.toPrecision(5)));
}

/**
 * Write a number with a power of ten.
 * @param {number} value
 * @returns {string}
 */
function powerText(value) {
  const [digits, power] = Number(value.toPrecision(4)).toExponential().split("e");
  const raised = [...String(Number(power))].map((sign) => (sign === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(sign)])).join("");
  return digits === "1" ? `10${raised}` : `${digits}·10${raised}`;
}

/** Most decimals of a tick. */
const MOST_DECIMALS = 12;

/**
 * Write the numbers beside the ticks of an axis: all with as many decimals as their distance needs.
 * @param {number[]} ticks
 * @returns {string[]}
 */
function tickTexts(ticks) {
  const largest = Math.max(...ticks.map(Math.abs));
  if (ticks.length < 2 || largest >= 1e7 || largest < 1e-3) return ticks.map(numberText);
  const step = Math.abs(ticks[1] - ticks[0]);
  let decimals = 0;
  while (decimals < MOST_DECIMALS && Math.abs(Math.round(step * 10 ** decimals) - step * 10 ** decimals) > 1e-6 * step * 10 ** decimals) decimals++;
  return ticks.map((tick) => tick.toFixed(decimals));
}

/**
 * Choose the ticks of a logarithmic axis: powers of ten, and what is between them where these are too few.
 * @param {number} low
 * @param {number} high
 * @returns {number[]}
 */
function logTicks(low, high) {
  for (const steps of [[1], [1, 3], [1, 2, 5], [1, 2, 3, 4, 5, 6, 7, 8, 9]]) {
    const ticks = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++) {
      ticks.push(...steps.map((step) => Number(`${step}e${power}`)));
    }
    const inside = ticks.filter((tick) => tick >= low && tick <= high);
    if (inside.length >= 3) return inside;
  }
  return [low, (low + high) / 2, high].map((tick) => Number(tick.toPrecision(3)));
}

/**
 * @param {number[]} ticks
 * @param {[number, number]} window the ends of a logarithmic axis
 * @param {number} length of the axis, in pixels
 * @returns {number[]} the distances of ticks from its start, in pixels
 */
function logPlaces(ticks, [low, high], length) {
  return ticks.map((tick) => (length * Math.log(tick / low)) / Math.log(high / low));
}

/** The width of a digit beside an axis, and the least distance of two texts, in pixels. */
const [DIGIT_WIDTH, TEXT_DISTANCE] = [7.5, 5];

/**
 * Leave out texts that would touch the one before.
 * @param {string[]} texts
 * @param {number[]} places where their middles are, in pixels, from left to right
 * @returns {string[]}
 */
function withoutTouching(texts, places) {
  let free = -Infinity;
  return texts.map((text, index) => {
    const half = (text.length * DIGIT_WIDTH) / 2;
    if (places[index] - half < free) return "";
    free = places[index] + half + TEXT_DISTANCE;
    return text;
  });
}
