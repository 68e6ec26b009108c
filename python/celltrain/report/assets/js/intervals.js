// @ts-check
"use strict";

/** @typedef {{panel: number, series: number, name: string, waits: number, octets: number, start: number, end: number, until: number}} LogSpec */
/** @typedef {{every: number, logs: LogSpec[], sums: [number, number, number[]][]}} IntervalsSpec */

/** Most intervals of a line. */
const MOST_INTERVALS = 500_000;
const NS = 1e9;

/**
 * Give the sums of the first values: of none, of one, and so on. Sums of whole numbers are exact.
 * @param {Numbers} values
 * @returns {Float64Array<ArrayBuffer>}
 */
function summedUp(values) {
  const sums = new Float64Array(values.length + 1);
  for (let index = 0; index < values.length; index++) sums[index + 1] = sums[index] + values[index];
  return sums;
}

/**
 * Write a rate in bit/s with the prefix in which it is easiest to read.
 * @param {number} rate
 * @returns {string}
 */
function rateText(rate) {
  const prefixed = /** @type {[number, string][]} */ ([[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]]);
  const [factor, prefix] = prefixed.find(([size]) => rate >= size) ?? [1, ""];
  return `${numberText(rate / factor)} ${prefix}bit/s`;
}

/** The log of a series: the time of each write or read, in ns, and the octets up to each. */
class LogOfSeries {
  /**
   * @param {LogSpec} spec
   * @param {Numbers[]} columns
   */
  constructor(spec, columns) {
    this.spec = spec;
    this.times = summedUp(columns[spec.waits]).subarray(1);
    this.before = summedUp(columns[spec.octets]);
  }

  /**
   * Count the octets from one instant up to another, in ns.
   * @param {number} low
   * @param {number} high
   * @returns {number}
   */
  octets(low, high) {
    return this.before[firstFrom(this.times, high)] - this.before[firstFrom(this.times, low)];
  }

  /**
   * Count intervals of a length in ns, from the start of the flow up to the last octet.
   * @param {number} every
   * @returns {number}
   */
  count(every) {
    const { start, until } = this.spec;
    const last = this.times.length ? Math.max(this.times[this.times.length - 1] - start, 0) : -1;
    return Math.max(Math.ceil((until - start) / every), last < 0 ? 0 : Math.floor(last / every) + 1);
  }

  /**
   * Give throughput in bit/s over intervals of a length in ns: instants, and the value that holds from each.
   * @param {number} every
   * @returns {[Float64Array, Float64Array]}
   */
  line(every) {
    const { start, end } = this.spec;
    const count = this.count(every);
    const [x, y] = [new Float64Array(count + 1), new Float64Array(count + 1)];
    x[0] = start / NS;
    for (let index = 0; index < count; index++) {
      const begin = start + index * every;
      const whole = begin + every;
      // The end of the flow cuts an interval short; later ones have late data. The first has what came early.
      const to = begin < end && end < whole ? end : whole;
      y[index] = (this.octets(index === 0 ? -Infinity : begin, whole) * 8 * NS) / (to - begin);
      x[index + 1] = to / NS;
    }
    if (count) y[count] = y[count - 1];
    return [x, y];
  }
}

/** Lets the reader choose intervals and a window of a figure, and tells the throughput in the window. */
class IntervalChoice {
  /**
   * @param {FigureView} figure
   * @param {IntervalsSpec} spec
   */
  constructor(figure, spec) {
    this.figure = figure;
    this.spec = spec;
    this.logs = spec.logs.map((log) => new LogOfSeries(log, figure.columns));
    const root = /** @type {HTMLElement} */ (figure.root.querySelector(".intervals"));
    const [every, low, high] = ["every", "low", "high"].map((name) => /** @type {HTMLInputElement} */ (root.querySelector(`.${name}`)));
    this.fields = { every, low, high };
    this.means = /** @type {HTMLElement} */ (root.querySelector(".means"));
    every.value = String(spec.every / 1e6);
    every.addEventListener("change", () => this.onEvery());
    low.addEventListener("change", () => this.onWindow());
    high.addEventListener("change", () => this.onWindow());
    root.hidden = false;
    this.showWindow();
  }

  /** Sum up the logs over the intervals that the field gives. */
  onEvery() {
    const { every } = this.fields;
    const ns = Math.round(Number(every.value) * 1e6);
    const most = ns >= 1 ? Math.max(...this.logs.map((log) => log.count(ns))) : 0;
    const wrong = ns < 1000 ? "Expected a time of at least 0.001 ms." : most > MOST_INTERVALS ? `These would be ${most} intervals: choose longer ones.` : "";
    every.setCustomValidity(wrong);
    if (!every.reportValidity()) return;
    const { panels } = this.figure;
    for (const log of this.logs) {
      const series = panels[log.spec.panel].series[log.spec.series];
      [series.x, series.y] = log.line(ns);
    }
    for (const [panel, sum, parts] of this.spec.sums) {
      const all = parts.map((part) => panels[panel].series[part]);
      const length = Math.min(...all.map((each) => each.x.length));
      const series = panels[panel].series[sum];
      series.x = all[0].x.slice(0, length);
      series.y = Float64Array.from({ length }, (_, index) => all.reduce((total, each) => total + each.y[index], 0));
    }
    panels.forEach((panel) => panel.update());
  }

  /** Show the window that the fields give. */
  onWindow() {
    const [low, high] = [this.fields.low, this.fields.high].map((field) => Number(field.value));
    if (low < high) this.figure.zoom(low, high);
    this.showWindow();
  }

  /** Tell the window, and the throughput of each series in it. */
  showWindow() {
    const [low, high] = this.figure.window;
    this.fields.low.value = String(Number(low.toFixed(6)));
    this.fields.high.value = String(Number(high.toFixed(6)));
    const items = this.logs.map((log) => {
      const octets = log.octets(Math.round(low * NS), Math.round(high * NS));
      const item = document.createElement("li");
      item.textContent = `${log.spec.name}: ${rateText((octets * 8) / (high - low))}, ${octets} bytes`;
      return item;
    });
    this.means.replaceChildren(...items);
  }
}
