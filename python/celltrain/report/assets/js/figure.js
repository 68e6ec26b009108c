// @ts-check
"use strict";

/**
 * @typedef {object} FigureSpec
 * @property {string} kind
 * @property {{label: string, factor: number, unit: string, scale: string, range: [number, number] | null, names: string[]}} x
 * @property {PanelSpec[]} panels
 * @property {Packed[]} columns
 * @property {IntervalsSpec | null} intervals
 */

const KEYS = "Arrow keys move the cursor, with Shift the window; plus and minus zoom, 0 shows all.";
/** Smallest part of the whole range that a window may be. */
const DEEPEST = 1e-9;

/**
 * Read the figure that an element holds, and unpack its numbers.
 * @param {HTMLElement} root
 * @returns {Promise<FigureView>}
 */
async function loadFigure(root) {
  const source = /** @type {HTMLElement} */ (root.querySelector(":scope > script"));
  /** @type {FigureSpec} */
  const spec = JSON.parse(source.textContent ?? "");
  source.remove();
  return new FigureView(root, spec, await Promise.all(spec.columns.splice(0).map(unpack)));
}

/** A figure: panels above each other with one window on the x axis, and one cursor. */
class FigureView {
  /**
   * @param {HTMLElement} root
   * @param {FigureSpec} spec
   * @param {Numbers[]} columns
   */
  constructor(root, spec, columns) {
    this.root = root;
    this.key = root.id;
    this.spec = spec;
    this.columns = columns;
    /** @type {Panel[]} */
    this.panels = [];
    this.whole = this.wholeRange();
    this.window = this.whole;
    this.zoomed = false;
    /** @type {IntervalChoice | null} */
    this.intervals = null;
    /** @type {Player | null} */
    this.player = null;
    this.places = this.xPlaces();
    this.readout = /** @type {HTMLElement} */ (root.querySelector(".readout"));
    this.resetButton = /** @type {HTMLButtonElement} */ (root.querySelector(".reset"));
    this.resetButton.addEventListener("click", () => this.reset());
  }

  /** Draw the panels, once. */
  draw() {
    if (this.panels.length) return;
    performance.mark("celltrain:draw:start");
    const place = /** @type {HTMLElement} */ (this.root.querySelector(".panels"));
    this.spec.panels.forEach((panel, index) => {
      const series = panel.series.map((each) => this.series(panel, each));
      this.panels.push(new Panel(this, panel, series, place, index === this.spec.panels.length - 1));
    });
    this.panels.forEach((panel) => panel.drawSwatches());
    this.resize();
    if (this.spec.intervals) this.intervals = new IntervalChoice(this, this.spec.intervals);
    this.player = playerOf(this);
    addExports(this);
    this.root.classList.add("drawn");
    performance.measure("celltrain:draw", "celltrain:draw:start");
  }

  /**
   * @param {PanelSpec} panel
   * @param {SeriesSpec} spec
   * @returns {Series}
   */
  series(panel, spec) {
    const y = this.columns[spec.y];
    // A logarithmic axis has no place for zero: such a point is missing there.
    const drawn = panel.scale === "log" ? Float64Array.from(y, (value) => (value > 0 ? value : NaN)) : y;
    const half = spec.half === null ? null : this.columns[spec.half];
    const { name, style, behind, open } = spec;
    return { name, x: this.columns[spec.x], y: drawn, half, style, behind, open, shown: true };
  }

  /** @returns {[number, number]} */
  wholeRange() {
    const { x, panels, kind } = this.spec;
    if (x.names.length) return [-0.6, x.names.length - 0.4];
    if (x.range) return x.range;
    let [low, high] = [Infinity, -Infinity];
    for (const place of new Set(panels.flatMap((panel) => panel.series.map((series) => series.x)))) {
      const values = this.columns[place];
      // Instants are sorted: their ends are enough, however many there are.
      for (const value of kind === "trace" && values.length ? [values[0], values[values.length - 1]] : values) {
        if (x.scale === "log" && !(value > 0)) continue;
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
    if (low > high) return [0, 1];
    if (kind === "trace") return low < high ? [low, high] : [low - 1, high + 1];
    if (x.scale === "log") return [low * (low / high) ** 0.04 * 0.9, high * (high / low) ** 0.04 * 1.1];
    const margin = 0.03 * (high - low) || 1;
    return [low - margin, high + margin];
  }

  /**
   * Give the places of the points on a logarithmic axis, each once.
   * @returns {number[]}
   */
  xPlaces() {
    if (this.spec.x.scale !== "log") return [];
    const all = this.spec.panels.flatMap((panel) => panel.series.flatMap((series) => [...this.columns[series.x]]));
    return [...new Set(all)].filter((value) => value > 0).sort((one, other) => one - other);
  }

  /**
   * Choose the ticks of a logarithmic x axis: the places of the points, as studies draw them, if they are few.
   * @returns {number[]}
   */
  xTicks() {
    const [low, high] = this.window;
    const own = this.places.filter((place) => place >= low && place <= high);
    return this.places.length <= 12 && own.length ? own : logTicks(low, high);
  }

  /**
   * Show a part of the x axis in all panels.
   * @param {number} low
   * @param {number} high
   */
  zoom(low, high) {
    const [first, last] = this.whole;
    const window = /** @type {[number, number]} */ ([Math.max(first, low), Math.min(last, high)]);
    if (!(window[1] - window[0] > DEEPEST * (last - first))) return;
    performance.mark("celltrain:zoom:start");
    this.window = window;
    this.zoomed = window[0] > first || window[1] < last;
    this.resetButton.disabled = !this.zoomed;
    this.panels.forEach((panel) => panel.update());
    this.intervals?.showWindow();
    this.player?.onWindow();
    performance.measure("celltrain:zoom", "celltrain:zoom:start");
  }

  /** Show the whole x axis again. */
  reset() {
    this.zoom(...this.whole);
  }

  /**
   * Hide or show the series of a name in all panels.
   * @param {string} name
   */
  toggle(name) {
    for (const series of this.named(name)) series.shown = !series.shown;
    this.panels.forEach((panel) => panel.showSeries());
  }

  /**
   * Show the series of a name alone, or all again.
   * @param {string} name
   */
  isolate(name) {
    const others = this.panels.flatMap((panel) => panel.series).filter((series) => series.name !== name);
    const alone = others.some((series) => series.shown);
    for (const series of this.named(name)) series.shown = true;
    for (const series of others) series.shown = !alone;
    this.panels.forEach((panel) => panel.showSeries());
  }

  /** @param {string} name */
  named(name) {
    return this.panels.flatMap((panel) => panel.series).filter((series) => series.name === name);
  }

  /**
   * Say where the cursor is.
   * @param {number | null} at
   */
  showPlace(at) {
    const { x } = this.spec;
    this.player?.show(at);
    if (at === null) this.readout.textContent = "";
    else if (x.names.length) this.readout.textContent = x.names[Math.round(at)] ?? "";
    else this.readout.textContent = `${x.label.replace(/ \[.*\]$/, "")} ${numberText(at * x.factor)} ${x.unit}`;
  }

  /**
   * Act on a key in a panel.
   * @param {KeyboardEvent} event
   * @param {Panel} panel
   */
  onKey(event, panel) {
    const { plot } = panel;
    const width = plot.over.clientWidth;
    const left = plot.cursor.left !== undefined && plot.cursor.left >= 0 ? plot.cursor.left : width / 2;
    const sideways = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    if (sideways && event.shiftKey) this.pan(0.2 * sideways * width, plot);
    else if (sideways) plot.setCursor({ left: Math.min(width, Math.max(0, left + 4 * sideways)), top: 0 });
    else if (event.key === "+" || event.key === "=") this.zoomTo(left / 2, (left + width) / 2, plot);
    else if (event.key === "-") this.zoomTo(-left, 2 * width - left, plot);
    else if (event.key === "0" || event.key === "Home") this.reset();
    else return;
    event.preventDefault();
  }

  /**
   * @param {number} left in pixels of the plot
   * @param {number} right
   * @param {uPlot} plot
   */
  zoomTo(left, right, plot) {
    this.zoom(plot.posToVal(left, "x"), plot.posToVal(right, "x"));
  }

  /**
   * Move the window, no further than the ends.
   * @param {number} by pixels of the plot
   * @param {uPlot} plot
   */
  pan(by, plot) {
    const width = plot.over.clientWidth;
    const [first, last] = this.whole.map((end) => plot.valToPos(end, "x"));
    const step = Math.max(first, Math.min(last - width, by));
    if (step !== 0) this.zoomTo(step, width + step, plot);
  }

  /** Draw again in the colours of the theme. */
  restyle() {
    this.panels.forEach((panel) => {
      panel.plot.redraw(false, true);
      panel.drawSwatches();
    });
  }

  /** Draw again in the width that there is. */
  resize() {
    chooseNames(this);
    this.panels.forEach((panel) => panel.resize());
  }
}
