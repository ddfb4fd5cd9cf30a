"use strict";
// The page is complete without this script. It adds the switch of the theme, values of points, and the place in the contents.
(function () {
  const root = document.documentElement;
  const darkSystem = window.matchMedia("(prefers-color-scheme: dark)");

  // The theme: that of the system, or the one chosen last.
  const button = document.getElementById("theme");
  function remembered() {
    try { return window.localStorage.getItem("comitia-theme"); } catch (_) { return null; } // files may have no storage
  }
  function remember(name) {
    try { window.localStorage.setItem("comitia-theme", name); } catch (_) { /* the page works without */ }
  }
  function isDark() {
    return root.dataset.theme ? root.dataset.theme === "dark" : darkSystem.matches;
  }
  function describe() {
    const dark = isDark();
    button.setAttribute("aria-pressed", String(dark));
    button.querySelector(".label").textContent = dark ? "Light" : "Dark";
    button.setAttribute("aria-label", dark ? "Switch to the light theme" : "Switch to the dark theme");
  }
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    remember(root.dataset.theme);
    describe();
  });
  darkSystem.addEventListener("change", describe);
  const kept = remembered();
  if (kept === "light" || kept === "dark") root.dataset.theme = kept;
  describe();
  button.hidden = false;

  // The value of the point that is nearest to the pointer.
  const SPAN = 1000; // units across a panel
  const REACH = 44; // pixels
  const tip = document.createElement("div");
  const ring = document.createElement("div");
  tip.id = "tip";
  ring.id = "ring";
  tip.hidden = ring.hidden = true;
  document.body.append(ring, tip);

  function nearest(panel, chart, box, event) {
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    const weights = { bars: [1, 0], dots: [1, 0.1], across: [0, 1] }[panel.kind] || [1, 1];
    let best = null;
    for (const series of panel.series) {
      const entry = series.legend === undefined ? null : chart.querySelector(".k" + series.legend);
      if (entry !== null && !entry.checked) continue;
      for (let i = 0; i < series.x.length; i++) {
        const [x, y] = [(series.x[i] * box.width) / SPAN, (series.y[i] * box.height) / SPAN];
        const distance = Math.hypot(weights[0] * (x - px), weights[1] * (y - py));
        if (distance <= REACH && (best === null || distance < best.distance)) {
          best = { distance, x, y, text: (series.name ? series.name + "\n" : "") + series.text[i] };
        }
      }
    }
    return best;
  }
  function square(panel, box, event) {
    const count = panel.names.length;
    const [j, i] = [event.clientX - box.left, event.clientY - box.top].map((p, k) =>
      Math.floor((p * count) / (k ? box.height : box.width)));
    if (i < 0 || j < 0 || i >= count || j >= count) return null;
    const value = panel.rows[i][j] === undefined ? panel.rows[j][i] : panel.rows[i][j]; // half of a symmetric matrix is kept
    const shown = panel.percent ? (value / 100).toFixed(2) + "%" : String(value);
    const names = i === j ? panel.names[i] : panel.names[i] + "\n" + panel.names[j];
    return { x: ((j + 0.5) * box.width) / count, y: ((i + 0.5) * box.height) / count, text: names + "\n" + shown };
  }
  function hide() { tip.hidden = ring.hidden = true; }
  function show(found, box) {
    tip.textContent = found.text; // text, never markup
    tip.hidden = ring.hidden = false;
    const [x, y] = [box.left + found.x + window.scrollX, box.top + found.y + window.scrollY];
    const right = window.scrollX + root.clientWidth - 8;
    ring.style.left = x + "px";
    ring.style.top = y + "px";
    tip.style.left = Math.max(window.scrollX + 8, Math.min(x - tip.offsetWidth / 2, right - tip.offsetWidth)) + "px";
    tip.style.top = (box.top + found.y > tip.offsetHeight + 16 ? y - tip.offsetHeight - 12 : y + 14) + "px";
  }
  const values = JSON.parse(document.getElementById("values").textContent);
  for (const [key, panels] of Object.entries(values)) {
    const plot = document.getElementById(key);
    plot.querySelectorAll(".row").forEach((row, k) => {
      const area = row.querySelector(".area");
      function point(event) {
        const box = area.getBoundingClientRect();
        const found = panels[k].kind === "heat" ? square(panels[k], box, event) : nearest(panels[k], plot.parentNode, box, event);
        if (found === null) hide(); else show(found, box);
      }
      row.addEventListener("pointermove", point);
      row.addEventListener("pointerdown", point);
      row.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") hide(); });
    });
  }
  window.addEventListener("scroll", hide, { passive: true });
  window.addEventListener("resize", hide);

  // The entry of the contents whose part is read.
  const links = new Map([...document.querySelectorAll("#contents a")].map((link) => [link.hash.slice(1), link]));
  const parts = [...links.keys()].map((id) => document.getElementById(id));
  let waiting = 0;
  function mark() {
    const above = parts.filter((part) => part.getBoundingClientRect().top < window.innerHeight / 3);
    const end = window.innerHeight + window.scrollY >= root.scrollHeight - 2;
    const current = end ? parts[parts.length - 1] : above[above.length - 1] || parts[0];
    links.forEach((link, id) => {
      if (current && id === current.id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    });
    root.classList.toggle("read-on", window.scrollY > window.innerHeight);
  }
  window.addEventListener("scroll", () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(mark);
  }, { passive: true });
  mark();

  window.addEventListener("beforeprint", () => {
    hide();
    document.querySelectorAll(".claim details, details.group, details.designated").forEach((folded) => { folded.open = true; });
  });
})();
