// @ts-check
"use strict";

/** @typedef {{name: string, x: number, y: number, half: number | null, style: number, behind: boolean, open: boolean}} SeriesSpec */
/** @typedef {{name: string, x: Numbers, y: Numbers, half: Numbers | null, style: number, behind: boolean, open: boolean, shown: boolean}} Series */

/** Numbers of colours, and of shapes of marks, after which they come again. */
const COLOURS = 8;
const DASHES = [[], [7, 4], [2, 3], [8, 3, 2, 3]];
const MARK_SIZE = 4;
const OPEN_MARK_SIZE = 7;

/**
 * Give a colour of the theme in force.
 * @param {string} name
 * @returns {string}
 */
function themeColour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/**
 * Give the colour of a series.
 * @param {Series} series
 * @returns {string}
 */
function colourOf(series) {
  return themeColour(series.behind ? "behind" : `series-${series.style % COLOURS}`);
}

/**
 * Give the dashes of a series: after all colours, they come again with others.
 * @param {Series} series
 * @returns {number[]}
 */
function dashOf(series) {
  return DASHES[Math.floor(series.style / COLOURS) % DASHES.length];
}

/** Outlines of marks, for people and printers that see no colours; a unit is half the size of a mark. */
const OUTLINES = [
  null, // a circle
  [[-1, -1], [1, -1], [1, 1], [-1, 1]],
  [[0, -1.2], [1.1, 0.9], [-1.1, 0.9]],
  [[0, 1.2], [1.1, -0.9], [-1.1, -0.9]],
  [[0, -1.35], [1.35, 0], [0, 1.35], [-1.35, 0]],
  [[-0.4, -1.2], [0.4, -1.2], [0.4, -0.4], [1.2, -0.4], [1.2, 0.4], [0.4, 0.4], [0.4, 1.2], [-0.4, 1.2], [-0.4, 0.4], [-1.2, 0.4], [-1.2, -0.4], [-0.4, -0.4]],
];

/**
 * Draw the mark of a style.
 * @param {CanvasRenderingContext2D} context
 * @param {number} style
 * @param {number} x
 * @param {number} y
 * @param {number} size
 * @param {boolean} open whether its outline is drawn instead of its area
 */
function drawMark(context, style, x, y, size, open = false) {
  const outline = OUTLINES[style % OUTLINES.length];
  context.beginPath();
  if (outline) outline.forEach(([across, down]) => context.lineTo(x + across * size, y + down * size));
  else context.arc(x, y, 1.05 * size, 0, 2 * Math.PI);
  context.closePath();
  if (open) context.stroke();
  else context.fill();
}

/**
 * Draw into the area of a plot only.
 * @param {uPlot} plot
 * @param {(context: CanvasRenderingContext2D) => void} draw
 */
function inside(plot, draw) {
  const { ctx: context, bbox } = plot;
  context.save();
  context.beginPath();
  context.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  context.clip();
  draw(context);
  context.restore();
}

/**
 * Draw an interval.
 * @param {CanvasRenderingContext2D} context
 * @param {uPlot} plot
 * @param {number} x in dots
 * @param {number} value
 * @param {number} half
 * @param {number} cap half the length of its ends, in dots
 */
function drawInterval(context, plot, x, value, half, cap) {
  if (!(half > 0)) return;
  const positive = plot.scales.y.distr !== 3 || value > half;
  const bottom = positive ? plot.valToPos(value - half, "y", true) : plot.bbox.top + plot.bbox.height;
  const top = plot.valToPos(value + half, "y", true);
  context.beginPath();
  context.moveTo(x, bottom);
  context.lineTo(x, top);
  for (const end of positive ? [bottom, top] : [top]) {
    context.moveTo(x - cap, end);
    context.lineTo(x + cap, end);
  }
  context.stroke();
}

/**
 * Draw the mark and the interval of each point of a line.
 * @param {uPlot} plot
 * @param {Series} series
 */
function drawPoints(plot, series) {
  inside(plot, (context) => {
    const dots = uPlot.pxRatio;
    context.fillStyle = context.strokeStyle = colourOf(series);
    context.lineWidth = 1.25 * dots;
    for (let index = 0; index < series.x.length; index++) {
      if (series.y[index] !== series.y[index]) continue;
      const x = plot.valToPos(series.x[index], "x", true);
      if (series.half) drawInterval(context, plot, x, series.y[index], series.half[index], 3.5 * dots);
      const size = (series.open ? OPEN_MARK_SIZE : MARK_SIZE) * dots;
      drawMark(context, series.style, x, plot.valToPos(series.y[index], "y", true), size, series.open);
    }
  });
}

/**
 * Draw the bars of all shown series, side by side at each place.
 * @param {uPlot} plot
 * @param {Series[]} all
 */
function drawBars(plot, all) {
  const shown = all.filter((series) => series.shown);
  const width = 0.8 / shown.length;
  inside(plot, (context) => {
    const floor = plot.scales.y.distr === 3 ? plot.bbox.top + plot.bbox.height : plot.valToPos(0, "y", true);
    shown.forEach((series, place) => {
      for (let index = 0; index < series.x.length; index++) {
        if (series.y[index] !== series.y[index]) continue;
        const middle = series.x[index] + (place - (shown.length - 1) / 2) * width;
        const [left, right] = [middle - 0.46 * width, middle + 0.46 * width].map((at) => plot.valToPos(at, "x", true));
        const top = plot.valToPos(series.y[index], "y", true);
        context.fillStyle = colourOf(series);
        context.fillRect(left, top, right - left, floor - top);
        context.strokeStyle = themeColour("ink");
        context.lineWidth = uPlot.pxRatio;
        const cap = Math.min(4 * uPlot.pxRatio, (right - left) / 3);
        if (series.half) drawInterval(context, plot, (left + right) / 2, series.y[index], series.half[index], cap);
      }
    });
  });
}

/**
 * Draw a line of reference with its name.
 * @param {uPlot} plot
 * @param {number} value
 * @param {string} label
 */
function drawReference(plot, value, label) {
  inside(plot, (context) => {
    const y = plot.valToPos(value, "y", true);
    const dots = uPlot.pxRatio;
    context.strokeStyle = context.fillStyle = themeColour("muted");
    context.lineWidth = dots;
    context.setLineDash([2 * dots, 3 * dots]);
    context.beginPath();
    context.moveTo(plot.bbox.left, y);
    context.lineTo(plot.bbox.left + plot.bbox.width, y);
    context.stroke();
    context.font = `${11 * dots}px ${themeColour("font")}`;
    const above = y - plot.bbox.top > 18 * dots;
    context.textAlign = "left";
    context.textBaseline = above ? "bottom" : "top";
    context.fillText(label, plot.bbox.left + 6 * dots, y + (above ? -3 : 3) * dots);
  });
}
