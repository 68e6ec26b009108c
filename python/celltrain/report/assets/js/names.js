// @ts-check
"use strict";

/** @typedef {{series: Series, entry: HTMLElement}} Entry A series, and its place in the legend. */
/** @typedef {{series: Series, from: number, end: number, at: number}} Name A trace that is named: its end (in pixels of the chart), and the height of its name. */

/** Most traces of a panel that are named at their ends. */
const MOST_NAMED = 6;
/** Part of a narrow figure that names may take. */
const NAMES_SHARE = 0.3;
/** Room beside a name for its value under the cursor, and around both. */
const VALUE_WIDTH = 72;
const AROUND_NAME = 14;
const SWATCH_WIDTH = 34;
/** Width of the widest legend, as that of `.panel` in the style sheet. */
const WIDEST_LEGEND = 272;
const narrowScreen = matchMedia("(max-width: 70rem)");

/**
 * Move labels apart: each as near to the place that it wants as the others let it.
 * @param {{at: number, height: number}[]} wanted centres and heights, in any order
 * @param {number} low the upper end of the room
 * @param {number} high its lower end
 * @returns {number[] | null} their centres; null where there is not enough room
 */
function apart(wanted, low, high) {
  if (wanted.reduce((sum, { height }) => sum + height, 0) > high - low) return null;
  const order = wanted.map((_, index) => index).sort((one, other) => wanted[one].at - wanted[other].at);
  const centres = wanted.map(({ at }) => at);
  let free = low;
  for (const index of order) {
    const half = wanted[index].height / 2;
    centres[index] = Math.max(centres[index], free + half);
    free = centres[index] + half;
  }
  free = high;
  for (const index of order.reverse()) {
    const half = wanted[index].height / 2;
    centres[index] = Math.min(centres[index], free - half);
    free = centres[index] - half;
  }
  return centres;
}

/**
 * Give the colour of a series' name: its own, but dark or bright enough to be read.
 * @param {Series} series
 * @returns {string} the name of a colour of the theme
 */
function nameColour(series) {
  return series.behind ? "name-behind" : `name-${series.style % COLOURS}`;
}

/** @param {string} text */
function textWidth(text) {
  const context = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
  context.font = `12.5px ${themeColour("font")}`;
  return context.measureText(text).width;
}

/**
 * Decide which panels of a figure name their traces at their ends, and how wide the names are. On a narrow screen names
 * stand beside all panels or none, so that the x axes stay above each other.
 * @param {FigureView} figure
 */
function chooseNames(figure) {
  const { panels, root } = figure;
  const widest = Math.max(0, ...panels.flatMap((panel) => panel.series.map((series) => textWidth(series.name))));
  const beside = narrowScreen.matches && widest + AROUND_NAME <= NAMES_SHARE * root.clientWidth;
  root.classList.toggle("beside", beside);
  const few = panels.map((panel) => panel.entries.length <= MOST_NAMED && ["trace", "line"].includes(figure.spec.kind));
  const allowed = narrowScreen.matches ? few.map(() => beside && few.every(Boolean)) : few;
  const values = beside ? 0 : VALUE_WIDTH + (allowed.every(Boolean) ? 0 : SWATCH_WIDTH);
  root.style.setProperty("--names", `${Math.ceil(Math.min(WIDEST_LEGEND, widest + AROUND_NAME + values))}px`);
  panels.forEach((panel, index) => setNamed(panel, allowed[index]));
  const fit = panels.map((panel) => panel.named && placesOf(panel, panel.plot) !== null);
  const kept = narrowScreen.matches ? fit.map(() => fit.every(Boolean)) : fit;
  panels.forEach((panel, index) => setNamed(panel, kept[index]));
  if (beside && !kept.every(Boolean)) root.classList.remove("beside");
}

/**
 * @param {Panel} panel
 * @param {boolean} named
 */
function setNamed(panel, named) {
  panel.named = named;
  panel.names = [];
  panel.root.classList.toggle("named", named);
  panel.legend.style.height = named ? `${panel.height()}px` : "";
}

/**
 * Find where a trace ends in the window: the place of its last value, in pixels of the chart.
 * @param {uPlot} plot
 * @param {number} index of the series
 * @returns {[number, number] | null} null where it has no value there
 */
function endOf(plot, index) {
  const [places, values] = [plot.data[0], plot.data[index + 1]];
  const [low, high] = [Number(plot.scales.x.min), Number(plot.scales.x.max)];
  let last = values.length - 1;
  while (last >= 0 && (typeof values[last] !== "number" || places[last] > high)) last--;
  if (last < 0 || (places[last] < low && last === values.length - 1)) return null;
  const [top, bottom] = [plot.bbox.top, plot.bbox.top + plot.bbox.height].map((at) => at / uPlot.pxRatio);
  const dots = plot.valToPos(/** @type {number} */ (values[last]), "y", true) / uPlot.pxRatio;
  const left = Math.max(plot.bbox.left, plot.valToPos(places[last], "x", true)) / uPlot.pxRatio;
  return [left, Math.min(bottom, Math.max(top, dots))];
}

/**
 * Find the ends of the shown traces, and places for all entries of the legend; those without an end go below the others.
 * @param {Panel} panel
 * @param {uPlot} plot
 * @returns {{ends: ([number, number] | null)[], centres: number[]} | null} null where they have no room
 */
function placesOf(panel, plot) {
  const items = /** @type {HTMLElement[]} */ ([...panel.legend.children]);
  const bottom = (plot.bbox.top + plot.bbox.height) / uPlot.pxRatio;
  const ends = items.map((_, index) => (panel.entries[index]?.series.shown ? endOf(plot, index) : null));
  const wanted = items.map((item, index) => ({ at: ends[index]?.[1] ?? bottom + 1, height: item.offsetHeight }));
  const centres = apart(wanted, 0, bottom + AROUND_NAME);
  return centres && { ends, centres };
}

/**
 * Put the names of a panel at the ends of its traces, with a line from each end to its name.
 * @param {Panel} panel
 * @param {uPlot} plot
 */
function drawNames(panel, plot) {
  if (!panel.named || document.documentElement.dataset.printing) return;
  const places = placesOf(panel, plot);
  if (!places) return;
  panel.names = [];
  [...panel.legend.children].forEach((item, index) => {
    const { style, offsetHeight } = /** @type {HTMLElement} */ (item);
    style.top = `${Math.round(places.centres[index] - offsetHeight / 2)}px`;
    const end = places.ends[index];
    if (!end) return;
    const name = { series: panel.entries[index].series, from: end[0], end: end[1], at: places.centres[index] };
    panel.names.push(name);
    drawLeader(plot, name);
  });
}

/**
 * Draw the line from the end of a trace to its name: dotted up to the edge of the plot, and slanted beyond it.
 * @param {uPlot} plot
 * @param {Name} name
 */
function drawLeader(plot, { series, from, end, at }) {
  const { ctx: context, bbox } = plot;
  const dots = uPlot.pxRatio;
  const edge = bbox.left + bbox.width;
  context.save();
  context.strokeStyle = colourOf(series);
  context.lineWidth = dots;
  context.setLineDash([dots, 3 * dots]);
  context.beginPath();
  if (edge - from * dots > 4 * dots) {
    context.moveTo(from * dots, end * dots);
    context.lineTo(edge, end * dots);
    context.stroke();
  }
  context.setLineDash([]);
  context.beginPath();
  context.moveTo(edge, end * dots);
  context.lineTo(edge + (RIGHT_PADDING - 2) * dots, at * dots);
  context.stroke();
  context.restore();
}
