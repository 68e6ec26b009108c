// @ts-check
"use strict";

/** Width of a figure on paper: A4 within margins of 15 mm. */
const PAPER_WIDTH = "680px";

/** @type {FigureView[]} those whose numbers are unpacked */
const views = [];
/** @type {Map<Element, Promise<FigureView>>} */
const loading = new Map();

/**
 * Unpack the numbers of a figure, once.
 * @param {HTMLElement} root
 * @returns {Promise<FigureView>}
 */
function view(root) {
  const begun = loading.get(root) ?? loadFigure(root).then((loaded) => (views.push(loaded), loaded));
  loading.set(root, begun);
  return begun;
}

/** @type {NodeListOf<HTMLElement>} */
const roots = document.querySelectorAll("figure");

/** Draw figures shortly before they come into view. */
function drawWhenNear() {
  const near = new IntersectionObserver(
    (entries) => {
      for (const entry of entries.filter((each) => each.isIntersecting)) {
        near.unobserve(entry.target);
        view(/** @type {HTMLElement} */ (entry.target)).then((loaded) => loaded.draw());
      }
    },
    { rootMargin: "600px 0px" },
  );
  roots.forEach((root) => near.observe(root));
}

/** Unpack the numbers of all figures while nothing else is to be done, so that printing finds them. */
async function loadWhenIdle() {
  for (const root of roots) {
    await new Promise((resolve) => ("requestIdleCallback" in window ? requestIdleCallback(resolve) : setTimeout(resolve, 50)));
    await view(root);
  }
  document.documentElement.dataset.loaded = "true";
}

/** Fit figures to their place when it changes, but not while a page is printed. */
function followWidth() {
  let width = document.documentElement.clientWidth;
  window.addEventListener("resize", () => {
    if (document.documentElement.clientWidth === width || document.documentElement.dataset.printing) return;
    width = document.documentElement.clientWidth;
    views.forEach((each) => each.resize());
  });
}

/** Let the reader choose a theme. */
function offerThemes() {
  const button = /** @type {HTMLElement} */ (document.getElementById("theme"));
  let theme = keptTheme();
  const show = () => {
    button.textContent = `Theme: ${theme}`;
    if (document.documentElement.dataset.printing) return;
    applyTheme(theme);
    views.forEach((each) => each.restyle());
  };
  button.addEventListener("click", () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    keepTheme(theme);
    show();
  });
  systemIsDark.addEventListener("change", show);
  show();
}

/** Before paper: all figures, in black on white, as wide as the paper. After it: as they were. */
function preparePaper() {
  const root = document.documentElement;
  let theme = root.dataset.theme;
  window.addEventListener("beforeprint", () => {
    theme = root.dataset.theme;
    root.dataset.printing = "true";
    root.dataset.theme = "light";
    root.style.setProperty("--figure-width", PAPER_WIDTH);
    views.forEach((each) => {
      each.draw();
      each.restyle();
      each.resize();
    });
  });
  window.addEventListener("afterprint", () => {
    delete root.dataset.printing;
    root.dataset.theme = theme;
    root.style.removeProperty("--figure-width");
    views.forEach((each) => {
      each.restyle();
      each.resize();
    });
  });
  document.getElementById("print")?.addEventListener("click", async () => {
    await Promise.all([...roots].map(view));
    window.print();
  });
}

/** Mark the section that is read in the contents. */
function followReading() {
  const links = new Map(
    [...document.querySelectorAll(".index a")].map((link) => [(link.getAttribute("href") ?? "").slice(1), link]),
  );
  const reading = new IntersectionObserver(
    (entries) => {
      const entered = entries.find((entry) => entry.isIntersecting);
      if (!entered) return;
      document.querySelector(".index [aria-current]")?.removeAttribute("aria-current");
      const link = links.get(entered.target.id);
      link?.setAttribute("aria-current", "location");
      // On a narrow screen the contents are part of the page, which must not scroll back to them.
      if (!narrowScreen.matches) link?.scrollIntoView({ block: "nearest" });
    },
    { rootMargin: "-10% 0px -80% 0px" },
  );
  document.querySelectorAll("main section").forEach((section) => reading.observe(section));
}

offerThemes();
drawWhenNear();
followWidth();
followReading();
preparePaper();
loadWhenIdle();
