// @ts-check
"use strict";

/**
 * Give the buttons of a figure that save it as a picture, as a drawing and as numbers.
 * @param {FigureView} figure
 */
function addExports(figure) {
  const place = /** @type {HTMLElement} */ (figure.root.querySelector("figcaption"));
  for (const [name, title, make] of /** @type {[string, string, () => Promise<Blob | null>][]} */ ([
    ["PNG", "Save what is shown as a picture of dots", () => pngOf(figure)],
    ["SVG", "Save what is shown as a drawing that can be scaled and edited", () => svgOf(figure)],
    ["CSV", "Save the numbers of all series", async () => new Blob([longTable(figure)], { type: "text/csv" })],
  ])) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "export";
    button.textContent = name;
    button.title = title;
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
  return (key.replace(/[^\w.-]+/g, "-") || "figure") + (warningOf(figure) ? "-not-the-study" : "");
}

/**
 * Give the words by which a section says that it is less than the study; what is saved has them, too.
 * @param {FigureView} figure
 * @returns {string}
 */
function warningOf(figure) {
  return figure.root.closest("section")?.querySelector(".warning")?.textContent ?? "";
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
  const warning = warningOf(figure);
  const marks = warning ? [warning] : [];
  const rows = [["panel", "series", "published", x.label, "value", "half_width", ...(warning ? ["extent"] : [])]];
  for (const panel of figure.panels) {
    for (const series of panel.series) {
      series.x.forEach((at, index) => {
        const y = series.y[index];
        if (y !== y) return;
        const half = series.half && series.half[index] === series.half[index] ? series.half[index] * panel.spec.factor : "";
        const place = x.names.length ? x.names[at] : at * x.factor;
        rows.push([panel.spec.label, series.name, series.open ? 1 : 0, place, y * panel.spec.factor, half, ...marks].map(guarded));
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
