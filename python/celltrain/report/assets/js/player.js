// @ts-check
"use strict";

/** @typedef {{label: string, panel: number, series: number, full: number | null, x: number, y: number}} GaugeSpec */
/** @typedef {{name: string, x: number, y: number, width: number, height: number}} BoxSpec */
/** @typedef {{width: number, height: number, boxes: BoxSpec[], cables: string[], gauges: GaugeSpec[]}} SceneSpec */
/** @typedef {{wide: SceneSpec, tall: SceneSpec}} StageSpec */

const BAR = { width: 64, height: 9 };
/** Room around the network, for the outlines of its boxes. */
const STAGE_MARGIN = 2;
/** Time that a whole run takes at the speed proposed, in s. */
const WHOLE_RUN_S = 20;
/** Steps of the slider; also how far a press of the button goes where no motion is wanted. */
const INSTANTS = 1000;
const STILL_STEPS = 50;
/** Longest time between two frames, in ms: a page that was hidden goes on where it was. */
const LONGEST_FRAME = 100;
const tallScreen = matchMedia("(max-width: 40rem)");
const lessMotion = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * Give the player of a figure, if it has a stage.
 * @param {FigureView} figure
 * @returns {Player | null}
 */
function playerOf(figure) {
  const root = /** @type {HTMLElement | null} */ (figure.root.querySelector(".stage"));
  return root && new Player(figure, root);
}

/**
 * Give the speeds that a reader can choose, in seconds of the run for each second: 1, 2 or 5 times a power of ten.
 * @param {number} proposed
 * @returns {number[]} the middle one is near the proposed
 */
function speedsAround(proposed) {
  const speeds = [];
  for (let power = Math.floor(Math.log10(proposed)) - 2; power <= Math.log10(proposed) + 2; power++) {
    speeds.push(...[1, 2, 5].map((step) => Number(`${step}e${power}`)));
  }
  const nearest = speeds.findIndex((speed) => speed >= proposed * 0.75);
  return speeds.slice(nearest - 3, nearest + 4);
}

/** One bar on the stage. */
class GaugeView {
  /**
   * @param {GaugeSpec} spec
   * @param {FigureView} figure
   * @param {(name: string, attributes: Record<string, string | number>) => SVGElement} add
   */
  constructor(spec, figure, add) {
    this.series = figure.panels[spec.panel].series[spec.series];
    this.panel = figure.panels[spec.panel].spec;
    this.full = spec.full ?? this.series.y.reduce((most, value) => (value > most ? value : most), 0);
    const [x, middle] = [spec.x, spec.y + 22];
    add("text", { x, y: spec.y + 11, class: "label" }).textContent = spec.label;
    add("rect", { x, y: middle - BAR.height / 2, ...BAR, class: "empty" });
    this.bar = add("rect", { x, y: middle - BAR.height / 2, width: 0, height: BAR.height });
    this.bar.style.fill = `var(--series-${this.series.style % COLOURS})`;
    this.value = add("text", { x: x + BAR.width + 6, y: middle + 4, class: "value" });
  }

  /**
   * Show the last sample before an instant.
   * @param {number} at
   */
  show(at) {
    const index = indexAt(this.series.x, at, true);
    const value = index < 0 ? NaN : this.series.y[index];
    this.bar.setAttribute("width", String(BAR.width * Math.min(1, Math.max(0, value / this.full || 0))));
    const scaled = value * this.panel.factor;
    // Fewer digits than in the curves, except of counts: nobody reads five while they change.
    const shown = Number.isInteger(scaled) ? scaled : Number(scaled.toPrecision(3));
    this.value.textContent = `${numberText(shown)} ${this.panel.unit}`;
  }
}

/** Plays the traces of a figure on the drawing of the network: an instant, and what the bars and all curves show at it. */
class Player {
  /**
   * @param {FigureView} figure
   * @param {HTMLElement} root
   */
  constructor(figure, root) {
    this.figure = figure;
    const source = /** @type {HTMLElement} */ (root.querySelector("script"));
    /** @type {StageSpec} */
    this.spec = JSON.parse(source.textContent ?? "");
    const part = (/** @type {string} */ name) => /** @type {any} */ (root.querySelector(name));
    this.button = /** @type {HTMLButtonElement} */ (part(".play"));
    this.speed = /** @type {HTMLSelectElement} */ (part(".speed"));
    this.slider = /** @type {HTMLInputElement} */ (part(".instant"));
    this.clock = /** @type {HTMLOutputElement} */ (part(".clock"));
    this.place = /** @type {HTMLElement} */ (part(".network-of-run"));
    this.at = figure.window[0];
    this.frame = 0;
    /** @type {GaugeView[]} */
    this.gauges = [];
    this.offerSpeeds();
    this.button.addEventListener("click", () => this.onButton());
    this.slider.addEventListener("input", () => this.onSlider());
    lessMotion.addEventListener("change", () => this.stop());
    tallScreen.addEventListener("change", () => this.draw());
    root.hidden = false;
    this.stop();
    this.draw();
    /** @type {HTMLElement} */ (figure.root.querySelector(".explanation")).textContent = this.explanation();
  }

  /** Draw the network, with a gauge for each recorded quantity. */
  draw() {
    const { width, height, boxes, cables, gauges } = tallScreen.matches ? this.spec.tall : this.spec.wide;
    const surface = new SvgSurface(width + 2 * STAGE_MARGIN, height + 2 * STAGE_MARGIN, 1);
    surface.root.setAttribute("role", "img");
    surface.root.setAttribute("aria-label", "The network; the curves below have the values that its bars show");
    surface.translate(STAGE_MARGIN, STAGE_MARGIN);
    const add = surface.add.bind(surface);
    for (const cable of cables) add("path", { d: cable, class: "cable" });
    for (const { name, x, y, width: across, height: down } of boxes) {
      add("rect", { x, y, width: across, height: down, rx: 4, class: "box" });
      add("text", { x: x + 8, y: y + 14, class: "name" }).textContent = name;
    }
    this.gauges = gauges.map((gauge) => new GaugeView(gauge, this.figure, add));
    this.place.replaceChildren(surface.root);
    this.show(null);
  }

  /** @returns {string} */
  explanation() {
    const buffers = this.spec.wide.gauges.some((gauge) => gauge.full !== null);
    const samples = Math.max(...this.gauges.map(({ series }) => series.x.length));
    return (
      `The animation shows the last of ${samples} samples at the cursor, as fast as the screen does; what happened between two is not recorded. ` +
      `A full bar is ${buffers ? "the buffer of a queue, else " : ""}the greatest value recorded. The slider has ${INSTANTS} steps: zoom in for finer ones.`
    );
  }

  offerSpeeds() {
    const [first, last] = this.figure.whole;
    const speeds = speedsAround((last - first) / WHOLE_RUN_S);
    this.speed.replaceChildren(
      ...speeds.map((speed, index) => {
        const option = document.createElement("option");
        option.value = String(speed);
        option.textContent = `${numberText(speed)} s in 1 s`;
        option.selected = index === 3;
        return option;
      }),
    );
  }

  onButton() {
    const [low, high] = this.figure.window;
    if (lessMotion.matches) this.moveTo(this.at >= high ? low : this.at + (high - low) / STILL_STEPS);
    else if (this.frame) this.stop();
    else this.play();
  }

  /** Move on with each frame, from the start again after the end. */
  play() {
    if (this.at >= this.figure.window[1]) this.at = this.figure.window[0];
    let before = performance.now();
    /** @param {number} now */
    const step = (now) => {
      this.moveTo(this.at + (Math.min(LONGEST_FRAME, Math.max(0, now - before)) / 1000) * Number(this.speed.value));
      before = now;
      if (this.at >= this.figure.window[1]) this.stop();
      else this.frame = requestAnimationFrame(step);
    };
    this.frame = requestAnimationFrame(step);
    this.button.textContent = "Pause";
  }

  stop() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.button.textContent = lessMotion.matches ? "Step" : "Play";
  }

  onSlider() {
    const [low, high] = this.figure.window;
    this.stop();
    this.moveTo(low + ((high - low) * Number(this.slider.value)) / INSTANTS);
  }

  /** Keep the instant inside of what the curves show. */
  onWindow() {
    const [low, high] = this.figure.window;
    this.at = Math.min(high, Math.max(low, this.at));
    this.show(null);
  }

  /**
   * Go to an instant: the cursors of all curves move, and with them the bars.
   * @param {number} at
   */
  moveTo(at) {
    const [low, high] = this.figure.window;
    this.at = Math.min(high, Math.max(low, at));
    for (const { plot } of this.figure.panels) plot.setCursor({ left: plot.valToPos(this.at, "x"), top: 0 });
    this.show(this.at);
  }

  /**
   * Show what holds at an instant, or, where the cursor left the curves, at that of the slider.
   * @param {number | null} at
   */
  show(at) {
    const instant = at ?? this.at;
    const [low, high] = this.figure.window;
    const { x } = this.figure.spec;
    this.gauges.forEach((gauge) => gauge.show(instant));
    this.slider.value = String(Math.round(((instant - low) / (high - low)) * INSTANTS));
    this.clock.textContent = `${numberText(instant * x.factor)} ${x.unit}`;
    this.slider.setAttribute("aria-valuetext", this.clock.textContent);
  }
}
