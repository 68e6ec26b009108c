// @ts-check
"use strict";

const SVG = "http://www.w3.org/2000/svg";
/** Characters that XML does not allow. */
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** A drawing surface that makes SVG, with the part of CanvasRenderingContext2D that our drawings use. */
class SvgSurface {
  /**
   * @param {number} width in dots, as on a canvas
   * @param {number} height
   * @param {number} dots for each pixel
   */
  constructor(width, height, dots) {
    this.root = document.createElementNS(SVG, "svg");
    this.root.setAttribute("width", String(width / dots));
    this.root.setAttribute("height", String(height / dots));
    this.root.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.parent = /** @type {SVGElement} */ (this.root);
    /** @type {SVGElement[]} */
    this.parents = [];
    this.clips = 0;
    this.outline = "";
    /** @type {number[]} */
    this.dash = [];
    this.fillStyle = "#000";
    this.strokeStyle = "#000";
    this.lineWidth = 1;
    this.font = "10px sans-serif";
    this.textAlign = "left";
    this.textBaseline = "alphabetic";
  }

  /** @returns {string} the file */
  text() {
    return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(this.root)}\n`;
  }

  save() {
    this.parents.push(this.parent);
  }

  /** Colours and widths stay as they are: our drawings set them before each use. */
  restore() {
    this.parent = this.parents.pop() ?? this.root;
    this.dash = [];
  }

  /**
   * Move the origin, until `restore`.
   * @param {number} x
   * @param {number} y
   */
  translate(x, y) {
    this.parent = this.add("g", { transform: `translate(${dot(x)} ${dot(y)})` });
  }

  /** @param {number} angle in radians */
  rotate(angle) {
    this.parent = this.add("g", { transform: `rotate(${dot((angle * 180) / Math.PI)})` });
  }

  beginPath() {
    this.outline = "";
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  moveTo(x, y) {
    this.outline += `M${dot(x)} ${dot(y)}`;
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  lineTo(x, y) {
    this.outline += `${this.outline ? "L" : "M"}${dot(x)} ${dot(y)}`;
  }

  /**
   * Add a circle: no drawing needs a part of one.
   * @param {number} x
   * @param {number} y
   * @param {number} radius
   */
  arc(x, y, radius) {
    const [r, across] = [dot(radius), dot(2 * radius)];
    this.outline += `M${dot(x - radius)} ${dot(y)}a${r} ${r} 0 1 0 ${across} 0a${r} ${r} 0 1 0 -${across} 0`;
  }

  /**
   * @param {number} left
   * @param {number} top
   * @param {number} width
   * @param {number} height
   */
  rect(left, top, width, height) {
    this.outline += `M${dot(left)} ${dot(top)}h${dot(width)}v${dot(height)}h${dot(-width)}z`;
  }

  closePath() {
    this.outline += "z";
  }

  /** Draw inside of the outline only, until `restore`. */
  clip() {
    const id = `clip${this.clips++}`;
    const area = this.add("clipPath", { id });
    const outline = document.createElementNS(SVG, "path");
    outline.setAttribute("d", this.outline);
    area.append(outline);
    this.parent = this.add("g", { "clip-path": `url(#${id})` });
  }

  stroke() {
    const dashes = this.dash.length ? { "stroke-dasharray": this.dash.map(dot).join(" ") } : {};
    const style = { stroke: this.strokeStyle, "stroke-width": dot(this.lineWidth), "stroke-linejoin": "round", ...dashes };
    if (this.outline) this.add("path", { d: this.outline, fill: "none", ...style });
  }

  fill() {
    if (this.outline) this.add("path", { d: this.outline, fill: this.fillStyle });
  }

  /**
   * @param {number} left
   * @param {number} top
   * @param {number} width
   * @param {number} height
   */
  fillRect(left, top, width, height) {
    // A bar of a negative value grows downwards from its floor, which SVG has no word for.
    const [x, y] = [Math.min(left, left + width), Math.min(top, top + height)];
    this.add("rect", { x: dot(x), y: dot(y), width: dot(Math.abs(width)), height: dot(Math.abs(height)), fill: this.fillStyle });
  }

  /** @param {number[]} dash */
  setLineDash(dash) {
    this.dash = dash;
  }

  /**
   * @param {string} text
   * @param {number} x
   * @param {number} y
   */
  fillText(text, x, y) {
    const [, bold, size, family] = /^(bold )?([\d.]+)px (.*)$/.exec(this.font) ?? ["", "", "10", "sans-serif"];
    const anchor = { left: "start", center: "middle", right: "end" }[this.textAlign] ?? "start";
    // Readers of SVG disagree about `dominant-baseline`; a shift by the height of letters is the same in all.
    const shift = { top: 0.8, middle: 0.35, bottom: -0.2 }[this.textBaseline] ?? 0;
    const weight = bold ? { "font-weight": "bold" } : {};
    const place = { x: dot(x), y: dot(y + shift * Number(size)), fill: this.fillStyle, "text-anchor": anchor };
    this.add("text", { ...place, "font-size": size, "font-family": family, ...weight }).textContent = text.replace(NOT_XML, "");
  }

  /**
   * @param {string} name
   * @param {Record<string, string | number>} attributes
   * @returns {SVGElement}
   */
  add(name, attributes) {
    const element = /** @type {SVGElement} */ (document.createElementNS(SVG, name));
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    this.parent.append(element);
    return element;
  }
}

/**
 * Round to a tenth of a dot.
 * @param {number} place
 * @returns {number}
 */
function dot(place) {
  return Math.round(place * 10) / 10;
}
