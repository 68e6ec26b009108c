// @ts-check
"use strict";

/** Space around the parts of an exported picture, and heights of its lines of text, in pixels. */
const EXPORT_MARGIN = 16;
const EXPORT_LINE = 20;

/**
 * Give the buttons of a figure that save it as a picture and as numbers.
 * @param {FigureView} figure
 */
function addExports(figure) {
  const place = /** @type {HTMLElement} */ (figure.root.querySelector("figcaption"));
  for (const [name, make] of /** @type {[string, () => Promise<Blob | null>][]} */ ([
    ["PNG", () => picture(figure)],
    ["CSV", async () => new Blob([longTable(figure)], { type: "text/csv" })],
  ])) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "export";
    button.textContent = name;
    button.title = name === "PNG" ? "Save what is shown as a picture" : "Save the numbers of all series";
    button.addEventListener("click", async () => save(await make(), `${fileName(figure)}.${name.toLowerCase()}`));
    place.append(button);
  }
}

/**
 * Name the files of a figure after its section.
 * @param {FigureView} figure
 * @returns {string}
 */
function fileName(figure) {
  const key = figure.root.closest("section")?.querySelector(".key")?.textContent ?? "";
  return key.replace(/[^\w.-]+/g, "-") || "figure";
}

/**
 * @param {Blob | null} content
 * @param {string} name
 */
function save(content, name) {
  if (!content) return;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/**
 * Write all points, each in a row with its panel and series.
 * @param {FigureView} figure
 * @returns {string}
 */
function longTable(figure) {
  const { x } = figure.spec;
  /** @param {string | number} value */
  const field = (value) => (typeof value === "number" || !/[",\n]/.test(value) ? value : `"${value.replaceAll('"', '""')}"`);
  const rows = [["panel", "series", "published", x.label, "value", "half_width"]];
  for (const panel of figure.panels) {
    for (const series of panel.series) {
      series.x.forEach((at, index) => {
        const y = series.y[index];
        if (y !== y) return;
        const half = series.half && series.half[index] === series.half[index] ? series.half[index] * panel.spec.factor : "";
        const place = x.names.length ? x.names[at] : at * x.factor;
        rows.push([panel.spec.label, series.name, series.open ? 1 : 0, place, y * panel.spec.factor, half].map(guarded));
      });
    }
  }
  return rows.map((row) => row.map(field).join(",")).join("\n") + "\n";
}

/**
 * Mark a text that spreadsheets would read as a formula.
 * @param {string | number} value
 * @returns {any}
 */
function guarded(value) {
  return typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
}

/**
 * Draw the panels below each other, each with its label, and the names of its series.
 * @param {FigureView} figure
 * @returns {Promise<Blob | null>}
 */
function picture(figure) {
  const dots = uPlot.pxRatio;
  const canvases = figure.panels.map((panel) => panel.plot.ctx.canvas);
  const legends = figure.panels.map((panel) => panel.series.filter((series) => series.shown && !series.open));
  const width = Math.max(...canvases.map((canvas) => canvas.width)) + 2 * EXPORT_MARGIN * dots;
  const heights = canvases.map((canvas, index) => canvas.height + (2 + legends[index].length) * EXPORT_LINE * dots);
  const whole = document.createElement("canvas");
  whole.width = width;
  whole.height = heights.reduce((sum, height) => sum + height, 2 * EXPORT_MARGIN * dots);
  const context = /** @type {CanvasRenderingContext2D} */ (whole.getContext("2d"));
  context.fillStyle = themeColour("paper");
  context.fillRect(0, 0, width, whole.height);
  context.textBaseline = "top";
  let top = EXPORT_MARGIN * dots;
  figure.panels.forEach((panel, index) => {
    const left = EXPORT_MARGIN * dots;
    context.font = `bold ${13 * dots}px ${themeColour("font")}`;
    context.fillStyle = themeColour("ink");
    context.fillText(panel.spec.label, left, top);
    context.drawImage(canvases[index], left, top + EXPORT_LINE * dots);
    context.font = `${12 * dots}px ${themeColour("font")}`;
    legends[index].forEach((series, line) => {
      const at = top + canvases[index].height + (1 + line) * EXPORT_LINE * dots;
      context.fillStyle = colourOf(series);
      context.fillRect(left, at + 5 * dots, 20 * dots, 3 * dots);
      context.fillStyle = themeColour("ink");
      context.fillText(series.name, left + 28 * dots, at);
    });
    top += heights[index];
  });
  return new Promise((done) => whole.toBlob(done, "image/png"));
}
