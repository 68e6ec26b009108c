// @ts-check
"use strict";

// Before the page is drawn, so that a dark one does not flash.

/** What a reader can choose; ``auto`` follows the system. */
const THEMES = ["auto", "light", "dark"];
const THEME_KEY = "celltrain-theme";
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");

/**
 * Give the theme that the reader chose before, where the browser keeps it.
 * @returns {string}
 */
function keptTheme() {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem(THEME_KEY)) ?? "auto";
  } catch {
    return "auto";
  }
}

/**
 * Keep the theme for the next time, if the browser does.
 * @param {string} theme
 */
function keepTheme(theme) {
  try {
    localStorage.setItem(THEME_KEY, theme);
  } catch {
    // Without storage, the next page starts with the system's.
  }
}

/**
 * Put a theme in force.
 * @param {string} theme
 */
function applyTheme(theme) {
  document.documentElement.dataset.theme = theme === "auto" ? (systemIsDark.matches ? "dark" : "light") : theme;
}

applyTheme(keptTheme());
