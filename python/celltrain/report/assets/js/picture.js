// @ts-check
"use strict";

/** @typedef {CanvasRenderingContext2D | SvgSurface} Surface */

/** Space around the parts of an exported picture, and heights of its lines of text, in pixels. */
const EXPORT_MARGIN = 16;
const EXPORT_LINE = 20;

/**
 * Draw what a figure shows as a picture of dots.
 * @param {FigureView} figure
 * @returns {Promise<Blob | null>}
 */
function pngOf(figure) {
  const whole = document.createElement("canvas");
  [whole.width, whole.height] = pictureSize(figure);
  const context = /** @type {CanvasRenderingContext2D} */ (whole.getContext("2d"));
  compose(figure, context, (panel, left, top) => context.drawImage(panel.plot.ctx.canvas, left, top));
  return new Promise((done) => whole.toBlob(done, "image/png"));
}

/**
 * Draw what a figure shows in lines and letters.
 * @param {FigureView} figure
 * @returns {Promise<Blob>}
 */
async function svgOf(figure) {
  const [width, height] = pictureSize(figure);
  const surface = new SvgSurface(width, height, uPlot.pxRatio);
  compose(figure, surface, (panel, left, top) => {
    surface.save();
    surface.translate(left, top);
    drawPanel(panel, surface);
    surface.restore();
  });
  return new Blob([surface.text()], { type: "image/svg+xml" });
}

/**
 * Give the series that are listed below a panel, as they are not named at their ends.
 * @param {Panel} panel
 * @returns {Series[]}
 */
function listed(panel) {
  return panel.names.length ? [] : panel.series.filter((series) => series.shown && !series.open);
}

/**
 * @param {Panel} panel
 * @returns {string[]} what is said below a panel and its list
 */
function notesBelow(panel) {
  return panel.series.some((series) => series.open && series.shown) ? [OPEN_MARKS] : [];
}

/**
 * Give the height of a panel with its label, its list and its notes, in dots.
 * @param {Panel} panel
 * @returns {number}
 */
function heightOf(panel) {
  return panel.plot.ctx.canvas.height + (2 + listed(panel).length + notesBelow(panel).length) * EXPORT_LINE * uPlot.pxRatio;
}

/**
 * Give width and height of a picture, in dots.
 * @param {FigureView} figure
 * @returns {[number, number]}
 */
function pictureSize(figure) {
  const around = 2 * EXPORT_MARGIN * uPlot.pxRatio;
  const plots = Math.max(...figure.panels.map((panel) => panel.plot.ctx.canvas.width));
  const names = figure.panels.flatMap((panel) => panel.names.map(({ series }) => textWidth(series.name)));
  const warning = warningOf(figure);
  const width = Math.max(plots + Math.max(0, ...names) * uPlot.pxRatio, textWidth(warning) * uPlot.pxRatio);
  const above = around + (warning ? EXPORT_LINE * uPlot.pxRatio : 0);
  return [Math.ceil(width) + around, figure.panels.reduce((sum, panel) => sum + heightOf(panel), above)];
}

/**
 * Draw the panels below each other, each with its label, and the names of its series; above them, what must not pass for more.
 * @param {FigureView} figure
 * @param {Surface} surface
 * @param {(panel: Panel, left: number, top: number) => void} place draws a panel
 */
function compose(figure, surface, place) {
  const dots = uPlot.pxRatio;
  surface.fillStyle = themeColour("paper");
  surface.fillRect(0, 0, ...pictureSize(figure));
  surface.textBaseline = "top";
  surface.textAlign = "left";
  const left = EXPORT_MARGIN * dots;
  let top = EXPORT_MARGIN * dots;
  const warning = warningOf(figure);
  if (warning) {
    surface.font = `${12.5 * dots}px ${themeColour("font")}`;
    surface.fillStyle = themeColour("ink");
    surface.fillText(warning, left, top);
    top += EXPORT_LINE * dots;
  }
  for (const panel of figure.panels) {
    surface.font = `bold ${13 * dots}px ${themeColour("font")}`;
    surface.fillStyle = themeColour("ink");
    surface.fillText(panel.spec.label, left, top);
    place(panel, left, top + EXPORT_LINE * dots);
    surface.textAlign = "left";
    surface.textBaseline = "middle";
    surface.font = `${12.5 * dots}px ${themeColour("font")}`;
    for (const { series, at } of panel.names) {
      surface.fillStyle = themeColour(nameColour(series));
      surface.fillText(series.name, left + panel.plot.ctx.canvas.width, top + (EXPORT_LINE + at) * dots);
    }
    surface.textBaseline = "top";
    surface.font = `${12 * dots}px ${themeColour("font")}`;
    /** @param {number} line */
    const below = (line) => top + panel.plot.ctx.canvas.height + (1 + line) * EXPORT_LINE * dots;
    listed(panel).forEach((series, line) => {
      const at = below(line);
      surface.fillStyle = colourOf(series);
      surface.fillRect(left, at + 5 * dots, 20 * dots, 3 * dots);
      surface.fillStyle = themeColour("ink");
      surface.fillText(series.name, left + 28 * dots, at);
    });
    surface.fillStyle = themeColour("ink");
    notesBelow(panel).forEach((text, line) => surface.fillText(text, left, below(listed(panel).length + line)));
    top += heightOf(panel);
  }
}

/**
 * Draw a panel as it is on the screen: grid, lines, marks, axes.
 * @param {Panel} panel
 * @param {SvgSurface} surface
 */
function drawPanel(panel, surface) {
  drawGrid(panel, surface);
  // The same plot, but drawn on another surface.
  const plot = /** @type {uPlot} */ (Object.create(panel.plot, { ctx: { value: surface } }));
  inside(plot, () => panel.series.forEach((_, index) => drawLine(panel, plot, index)));
  panel.drawOver(plot);
}

/**
 * Draw the line of a series, if it has one.
 * @param {Panel} panel
 * @param {uPlot} plot
 * @param {number} index
 */
function drawLine(panel, plot, index) {
  const series = panel.series[index];
  const { kind } = panel.figure.spec;
  if (!series.shown || series.open || kind === "bar" || kind === "dots") return;
  const { ctx: context } = plot;
  const steps = panel.isStepped(series);
  const [places, values] = [plot.data[0], plot.data[index + 1]];
  let before = /** @type {number | null} */ (null);
  context.beginPath();
  for (let point = 0; point < places.length; point++) {
    const value = values[point];
    // Places of other series: this line goes on over them. Null breaks it.
    if (value === undefined) continue;
    if (value !== null) {
      const [x, y] = [plot.valToPos(places[point], "x", true), plot.valToPos(value, "y", true)];
      if (before !== null && steps) context.lineTo(x, before);
      if (before === null) context.moveTo(x, y);
      else context.lineTo(x, y);
      before = y;
    } else before = null;
  }
  context.strokeStyle = colourOf(series);
  context.lineWidth = panel.widthOf(series) * uPlot.pxRatio;
  context.setLineDash(dashOf(series).map((length) => length * uPlot.pxRatio));
  context.stroke();
  context.setLineDash([]);
}

/**
 * Draw grid, ticks and texts of both axes.
 * @param {Panel} panel
 * @param {SvgSurface} surface
 */
function drawGrid(panel, surface) {
  const { plot, ticks } = panel;
  const { left, top, width, height } = plot.bbox;
  const [bottom, dots] = [top + height, uPlot.pxRatio];
  const along = ticks.x.map(({ at, text }) => ({ at: plot.valToPos(at, "x", true), text }));
  const up = ticks.y.map(({ at, text }) => ({ at: plot.valToPos(at, "y", true), text }));
  surface.lineWidth = dots;
  surface.strokeStyle = themeColour("grid");
  surface.beginPath();
  if (!panel.figure.spec.x.names.length) along.forEach(({ at }) => (surface.moveTo(at, top), surface.lineTo(at, bottom)));
  up.forEach(({ at }) => (surface.moveTo(left, at), surface.lineTo(left + width, at)));
  surface.stroke();
  surface.strokeStyle = themeColour("rule");
  surface.beginPath();
  along.forEach(({ at }) => (surface.moveTo(at, bottom), surface.lineTo(at, bottom + 5 * dots)));
  up.forEach(({ at }) => (surface.moveTo(left - 5 * dots, at), surface.lineTo(left, at)));
  surface.moveTo(left, top);
  surface.lineTo(left, bottom);
  surface.lineTo(left + width, bottom);
  surface.stroke();
  surface.fillStyle = themeColour("ink");
  surface.font = `${12 * dots}px ${themeColour("font")}`;
  surface.textBaseline = "middle";
  surface.textAlign = "right";
  up.forEach(({ at, text }) => surface.fillText(text, left - 10 * dots, at));
  if (panel.last) drawXTexts(panel, surface, along, bottom);
}

/**
 * Draw the texts below the x axis, and its label.
 * @param {Panel} panel
 * @param {SvgSurface} surface
 * @param {{at: number, text: string}[]} along
 * @param {number} bottom
 */
function drawXTexts(panel, surface, along, bottom) {
  const { left, width } = panel.plot.bbox;
  const dots = uPlot.pxRatio;
  const slant = panel.slant();
  surface.textBaseline = "top";
  surface.textAlign = slant ? "left" : "center";
  for (const { at, text } of along) {
    surface.save();
    surface.translate(at, bottom + 10 * dots);
    if (slant) surface.rotate((slant * Math.PI) / 180);
    surface.fillText(text, 0, 0);
    surface.restore();
  }
  surface.textBaseline = "bottom";
  surface.textAlign = "center";
  surface.fillText(panel.figure.spec.x.label, left + width / 2, panel.plot.ctx.canvas.height - 2 * dots);
}
