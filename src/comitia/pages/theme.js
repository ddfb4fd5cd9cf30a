"use strict";
// Draws the figures in the colours of the theme, and again whenever the theme, the window or the medium changes.
(function () {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const content = JSON.parse(document.getElementById("figures").textContent);
  const darkSystem = window.matchMedia("(prefers-color-scheme: dark)");
  const config = {
    responsive: false,
    displaylogo: false,
    displayModeBar: window.matchMedia("(hover: hover)").matches ? "hover" : false, // without a mouse it covers the legend
    modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d", "zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d"],
    scrollZoom: false,
  };
  const PRINTED_WIDTH = 660; // pixels across a printed page, whatever the window was
  let printing = false;

  function theme() {
    if (printing) return "light";
    return root.dataset.theme || (darkSystem.matches ? "dark" : "light");
  }

  // A copy of a figure in which the tokens of colours are colours; other texts stay as they are.
  function coloured(value, key, colours) {
    if (typeof value === "string") return key.endsWith("color") && value in colours ? colours[value] : value;
    if (Array.isArray(value)) {
      return key.endsWith("color") ? value.map((inner) => coloured(inner, key, colours)) : value.map((inner) => coloured(inner, "", colours));
    }
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, coloured(inner, name, colours)]));
  }

  function draw(key, figure) {
    const place = document.getElementById(key);
    const width = printing ? PRINTED_WIDTH : place.clientWidth;
    const colours = content.colours[theme()];
    const layout = coloured(figure.layout, "", colours);
    layout.font.family = getComputedStyle(document.body).fontFamily;
    layout.width = width;
    layout.height = figure.square ? Math.min(figure.height, Math.round(width * 0.92) + 40) : figure.height;
    if (printing) layout.height = Math.round(0.8 * layout.height); // two to a page
    place.style.height = layout.height + "px";
    if (width < 560) {
      layout.font.size = 11;
      const across = figure.data.some((trace) => trace.orientation === "h"); // their numbers stand right of the bars
      layout.margin = { ...layout.margin, l: 44, r: across ? 48 : 12 };
    }
    return Plotly.react(place, coloured(figure.data, "", colours), layout, config);
  }

  function drawAll() {
    const dark = theme() === "dark";
    button.setAttribute("aria-pressed", String(dark));
    button.querySelector(".label").textContent = dark ? "Light" : "Dark";
    button.setAttribute("aria-label", dark ? "Switch to the light theme" : "Switch to the dark theme");
    return Promise.all(Object.entries(content.figures).map(([key, figure]) => draw(key, figure)));
  }

  function remembered() {
    try { return window.localStorage.getItem("comitia-theme"); } catch (_) { return null; } // files may have no storage
  }
  function remember(name) {
    try { window.localStorage.setItem("comitia-theme", name); } catch (_) { /* the page works without */ }
  }

  button.addEventListener("click", () => {
    root.dataset.theme = theme() === "dark" ? "light" : "dark";
    remember(root.dataset.theme);
    drawAll();
  });
  darkSystem.addEventListener("change", drawAll);
  let waiting = 0;
  window.addEventListener("resize", () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => { if (!printing) drawAll(); });
  });
  window.addEventListener("beforeprint", () => {
    printing = true;
    document.querySelectorAll(".claim details, details.group, details.designated").forEach((folded) => { folded.open = true; });
    drawAll();
  });
  window.addEventListener("afterprint", () => { printing = false; drawAll(); });

  const kept = remembered();
  if (kept === "light" || kept === "dark") root.dataset.theme = kept;
  drawAll().then(() => { root.dataset.drawn = "yes"; });
})();
