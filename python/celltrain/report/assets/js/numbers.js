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
