// @ts-check
"use strict";

// A canvas is printed with the dots that it was drawn with: draw at two or more for each pixel, on every screen.
const DOTS_PER_PIXEL = Math.max(2, window.devicePixelRatio);
Object.defineProperty(window, "devicePixelRatio", { configurable: true, get: () => DOTS_PER_PIXEL });
