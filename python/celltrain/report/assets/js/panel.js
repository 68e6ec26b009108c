// @ts-check
"use strict";

/**
 * @typedef {object} PanelSpec
 * @property {string} label
 * @property {SeriesSpec[]} series
 * @property {number} factor
 * @property {string} unit
 * @property {string} scale
 * @property {[number, number] | null} range
 * @property {number | null} line_at
 * @property {string} line_label
 * @property {boolean} steps
 */

const AXIS_FONT = () => `12px ${themeColour("font")}`;
/** Room for the numbers on the y axis, alike in all panels, so that their x axes stand above each other. */
const Y_AXIS_WIDTH = 60;
const PANEL_HEIGHT = 165;
const LONE_HEIGHT = 320;
/** Room at the right of a plot, where lines lead from traces to their names. */
const RIGHT_PADDING = 14;
/** What open marks are, beside or below a panel. */
const OPEN_MARKS = "large open marks: published";

/** One pair of axes with its legend, whose buttons hide series and show values. */
class Panel {
  /**
   * @param {FigureView} figure
   * @param {PanelSpec} spec
   * @param {Series[]} series
   * @param {HTMLElement} parent
   * @param {boolean} last whether the x axis is labelled below it
   */
  constructor(figure, spec, series, parent, last) {
    this.figure = figure;
    this.spec = spec;
    this.series = series;
    this.last = last;
    /** What the axes show, for drawings of them. @type {{x: {at: number, text: string}[], y: {at: number, text: string}[]}} */
    this.ticks = { x: [], y: [] };
    this.root = document.createElement("div");
    this.root.className = "panel";
    this.canvas = document.createElement("div");
    this.canvas.className = "chart";
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-roledescription", "chart");
    this.canvas.setAttribute("aria-label", `${spec.label} against ${figure.spec.x.label}. ${KEYS}`);
    this.legend = document.createElement("ul");
    this.legend.className = "legend";
    const label = document.createElement("p");
    label.className = "label";
    label.textContent = spec.label;
    this.root.append(label, this.canvas, this.legend);
    parent.append(this.root);
    /** Open marks, which come last, have no entry. @type {(Entry & {value: HTMLElement})[]} */
    this.entries = series.filter((each) => !each.open).map((each) => this.legendEntry(each));
    /** Whether the entries of the legend stand at the ends of their traces, and where. */
    this.named = false;
    /** @type {Name[]} */
    this.names = [];
    if (series.some((each) => each.open)) this.explainOpenMarks();
    this.plot = new uPlot(this.options(), this.data(), this.canvas);
    this.canvas.addEventListener("keydown", (event) => figure.onKey(event, this));
  }

  /**
   * @param {Series} series
   * @returns {Entry & {value: HTMLElement}} its entry, and where the value under the cursor goes
   */
  legendEntry(series) {
    const entry = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-pressed", "true");
    button.title = "Hide or show; double click: this one alone";
    const swatch = document.createElement("canvas");
    swatch.className = "swatch";
    swatch.width = 44;
    swatch.height = 24;
    const name = document.createElement("span");
    name.className = "name";
    name.textContent = series.name;
    const value = document.createElement("span");
    value.className = "value";
    button.append(swatch, name, value);
    button.addEventListener("click", () => this.figure.toggle(series.name));
    button.addEventListener("dblclick", () => this.figure.isolate(series.name));
    entry.append(button);
    button.style.setProperty("--own", `var(--${nameColour(series)})`);
    this.legend.append(entry);
    return { series, entry, value };
  }

  /** Say in the legend what open marks are; they are shown and hidden with the series of their name. */
  explainOpenMarks() {
    const entry = document.createElement("li");
    entry.className = "published";
    entry.textContent = OPEN_MARKS;
    this.legend.append(entry);
  }

  /** Draw the sample of each series in the legend. */
  drawSwatches() {
    this.legend.querySelectorAll("canvas").forEach((canvas, index) => {
      const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
      const series = this.series[index];
      const { width, height } = canvas;
      context.clearRect(0, 0, width, height);
      context.fillStyle = context.strokeStyle = colourOf(series);
      if (this.figure.spec.kind === "bar") {
        context.fillRect(8, 2, width - 16, height - 4);
        return;
      }
      if (this.figure.spec.kind !== "dots") {
        context.lineWidth = 4;
        context.setLineDash(dashOf(series).map((length) => 2 * length));
        context.beginPath();
        context.moveTo(0, height / 2);
        context.lineTo(width, height / 2);
        context.stroke();
      }
      if (this.figure.spec.kind !== "trace") drawMark(context, series.style, width / 2, height / 2, 8);
    });
  }

  /** @returns {uPlot.Options} */
  options() {
    const { figure, spec } = this;
    const log = spec.scale === "log";
    return {
      width: this.width(),
      height: this.height(),
      legend: { show: false },
      padding: [10, RIGHT_PADDING, this.last ? 0 : 6, 0],
      cursor: {
        y: false,
        drag: { x: true, y: false, setScale: false },
        sync: { key: figure.key, filters: { pub: (type) => type === "mousemove" || type === "mouseleave" } },
        bind: { dblclick: () => () => (figure.reset(), null) },
        points: { show: figure.spec.kind === "trace", size: 6 },
      },
      scales: {
        x: { time: false, distr: figure.spec.x.scale === "log" ? 3 : 1, range: () => figure.window },
        y: { distr: log ? 3 : 1, range: (_, least, greatest) => this.yRange(least, greatest) },
      },
      axes: [this.xAxis(), this.yAxis()],
      series: [{}, ...this.series.map((each) => this.style(each))],
      hooks: {
        draw: [(plot) => this.drawOver(plot)],
        setSelect: [() => this.onSelect()],
        setCursor: [() => this.onCursor()],
      },
    };
  }

  /** @returns {uPlot.Axis} */
  xAxis() {
    const { x } = this.figure.spec;
    const names = x.names;
    const slant = this.slant();
    const longest = Math.max(0, ...names.map((name) => name.length));
    /** @type {uPlot.Axis} */
    const axis = {
      stroke: () => themeColour("ink"),
      grid: { stroke: () => themeColour("grid"), width: 1, show: names.length === 0 },
      ticks: { stroke: () => themeColour("rule"), width: 1, size: 5 },
      border: { show: true, stroke: () => themeColour("rule"), width: 1 },
      font: AXIS_FONT(),
      labelFont: AXIS_FONT(),
      labelSize: 22,
      size: slant ? Math.min(130, 22 + longest * 3.6) : 28,
      rotate: slant,
      space: 64,
      values: (_, ticks) => this.ticked("x", ticks, this.last ? this.xTexts(ticks) : ticks.map(() => "")),
    };
    if (this.last) axis.label = x.label;
    else axis.size = 8;
    if (names.length) axis.splits = () => names.map((_, index) => index);
    else if (x.scale === "log") axis.splits = () => this.figure.xTicks();
    if (names.length || x.scale === "log") axis.filter = (_, ticks) => ticks;
    return axis;
  }

  /**
   * @param {number[]} ticks
   * @returns {string[]}
   */
  xTexts(ticks) {
    const { x } = this.figure.spec;
    if (x.names.length) return ticks.map((tick) => x.names[tick] ?? "");
    const places = logPlaces(ticks, this.figure.window, this.width() - Y_AXIS_WIDTH - RIGHT_PADDING);
    if (x.scale === "log") return withoutTouching(ticks.map((tick) => numberText(tick * x.factor)), places);
    return tickTexts(ticks.map((tick) => tick * x.factor));
  }

  /** @returns {uPlot.Axis} */
  yAxis() {
    const log = this.spec.scale === "log";
    return {
      stroke: () => themeColour("ink"),
      grid: { stroke: () => themeColour("grid"), width: 1 },
      ticks: { stroke: () => themeColour("rule"), width: 1, size: 5 },
      border: { show: true, stroke: () => themeColour("rule"), width: 1 },
      font: AXIS_FONT(),
      size: Y_AXIS_WIDTH,
      space: 34,
      ...(log ? { splits: (_, __, low, high) => logTicks(low, high), filter: (_, ticks) => ticks } : {}),
      values: (_, ticks) => {
        const scaled = ticks.map((tick) => tick * this.spec.factor);
        return this.ticked("y", ticks, log ? scaled.map(numberText) : tickTexts(scaled));
      },
    };
  }

  /**
   * Keep what an axis shows.
   * @param {"x" | "y"} axis
   * @param {number[]} ticks
   * @param {string[]} texts
   * @returns {string[]} the texts
   */
  ticked(axis, ticks, texts) {
    this.ticks[axis] = ticks.map((at, index) => ({ at, text: texts[index] }));
    return texts;
  }

  /** @returns {number} the angle, in degrees, of names on the x axis that have no room beside each other */
  slant() {
    const { names } = this.figure.spec.x;
    const room = this.width() - Y_AXIS_WIDTH;
    return names.length > 0 && names.join("").length * 7 + names.length * 16 > room ? 32 : 0;
  }

  /**
   * @param {Series} series
   * @returns {number} the width of its line, in pixels
   */
  widthOf(series) {
    return series.behind ? 2 : this.figure.spec.kind === "trace" ? 1.1 : 1.6;
  }

  /**
   * @param {Series} series
   * @returns {boolean} whether a value holds until the next
   */
  isStepped(series) {
    return this.figure.spec.kind === "trace" && (this.spec.steps || series.behind);
  }

  /**
   * @param {Series} series
   * @returns {uPlot.Series}
   */
  style(series) {
    const { kind } = this.figure.spec;
    return {
      stroke: () => colourOf(series),
      width: this.widthOf(series),
      dash: dashOf(series),
      points: { show: false },
      show: series.shown,
      ...(kind === "bar" || kind === "dots" || series.open ? { paths: () => null } : {}),
      ...(this.isStepped(series) && uPlot.paths.stepped ? { paths: uPlot.paths.stepped({ align: 1 }) } : {}),
    };
  }

  /**
   * Give what the present window shows: thinned lines on places that they share.
   * @returns {uPlot.AlignedData}
   */
  data() {
    const { kind, x } = this.figure.spec;
    const [low, high] = this.figure.window;
    const pixels = Math.max(100, Math.round(this.width() - Y_AXIS_WIDTH));
    const thinned = kind === "trace" && x.scale !== "log";
    const lines = this.series.map((each) =>
      thinned ? seen(each.x, each.y, low, high, pixels) : points(each.x, each.y, 0, each.x.length),
    );
    return lines.length === 1 ? lines[0] : uPlot.join(lines);
  }

  /**
   * Choose the range of the y axis: the given one, or what the shown values and their intervals need.
   * @param {number | null} least
   * @param {number | null} greatest
   * @returns {[number, number]}
   */
  yRange(least, greatest) {
    const { spec, figure } = this;
    if (spec.range && !figure.zoomed) return spec.range;
    if (figure.spec.kind !== "trace") [least, greatest] = this.extent();
    if (least === null || greatest === null || least > greatest) return spec.range ?? (spec.scale === "log" ? [1, 10] : [0, 1]);
    if (spec.line_at !== null && !figure.zoomed) {
      least = Math.min(least, spec.line_at);
      greatest = Math.max(greatest, spec.line_at);
    }
    if (spec.scale === "log") {
      const margin = Math.max(1.2, (greatest / least) ** 0.06);
      return [least / margin, greatest * margin];
    }
    if (figure.spec.kind === "bar") return [Math.min(0, 1.06 * least), Math.max(0, 1.06 * greatest) || 1];
    return /** @type {[number, number]} */ (uPlot.rangeNum(least, greatest, 0.08, true));
  }

  /**
   * Find the least and greatest end of the intervals in the window.
   * @returns {[number, number]}
   */
  extent() {
    const [low, high] = this.figure.window;
    let [least, greatest] = [Infinity, -Infinity];
    for (const series of this.series.filter((each) => each.shown)) {
      series.y.forEach((value, index) => {
        if (value !== value || series.x[index] < low || series.x[index] > high) return;
        const half = series.half && series.half[index] > 0 ? series.half[index] : 0;
        const bottom = this.spec.scale === "log" && value <= half ? value : value - half;
        least = Math.min(least, bottom);
        greatest = Math.max(greatest, value + half);
      });
    }
    return [least, greatest];
  }

  /**
   * Draw what uPlot does not: marks with intervals, bars, the line of reference, names.
   * @param {uPlot} plot
   */
  drawOver(plot) {
    const { kind } = this.figure.spec;
    if (kind === "bar") drawBars(plot, this.series);
    if (kind === "line" || kind === "dots") this.series.filter((each) => each.shown).forEach((each) => drawPoints(plot, each));
    if (this.spec.line_at !== null) drawReference(plot, this.spec.line_at, this.spec.line_label);
    drawNames(this, plot);
  }

  onSelect() {
    const { left, width } = this.plot.select;
    if (width < 4) return;
    const [low, high] = [left, left + width].map((at) => this.plot.posToVal(at, "x"));
    this.plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.figure.zoom(low, high);
  }

  /** Show the values under the cursor in the legend. */
  onCursor() {
    const { left } = this.plot.cursor;
    const at = left === undefined || left < 0 ? null : this.plot.posToVal(left, "x");
    for (const { series, value } of this.entries) value.textContent = at === null ? "" : this.valueText(series, at);
    this.figure.showPlace(at);
  }

  /**
   * @param {Series} series
   * @param {number} at
   * @returns {string}
   */
  valueText(series, at) {
    const { kind } = this.figure.spec;
    const index = indexAt(series.x, at, kind === "trace" && this.spec.steps);
    if (index < 0 || (kind === "bar" && series.x[index] !== Math.round(at))) return "";
    const text = numberText(series.y[index] * this.spec.factor);
    const half = series.half?.[index];
    return half ? `${text} ± ${numberText(half * this.spec.factor)}` : text;
  }

  /** Draw the present window again. */
  update() {
    this.plot.batch(() => {
      this.plot.setData(this.data(), false);
      this.plot.setScale("x", { min: this.figure.window[0], max: this.figure.window[1] });
    });
  }

  /** Show or hide series as they say. */
  showSeries() {
    this.series.forEach((series, index) => {
      this.plot.setSeries(index + 1, { show: series.shown });
      if (!series.open) this.legend.querySelectorAll("button")[index].setAttribute("aria-pressed", String(series.shown));
    });
    this.plot.redraw(true, true);
  }

  width() {
    return Math.max(240, Math.floor(this.canvas.clientWidth));
  }

  height() {
    const alone = this.figure.spec.panels.length === 1;
    return (alone ? LONE_HEIGHT : PANEL_HEIGHT) + (this.last ? 50 : 0);
  }

  resize() {
    this.plot.setSize({ width: this.width(), height: this.height() });
    this.update();
  }
}
