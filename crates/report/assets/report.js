"use strict";
(() => {
  const root = document.documentElement;
  const all = (selector) => Array.from(document.querySelectorAll(selector));
  const byId = (id) => document.getElementById(id);

  // A page opened from disk may not be allowed to store anything; the toggle must work all the same.
  const stored = (value) => {
    try {
      if (value) localStorage.setItem("branchwise-theme", value);
      return localStorage.getItem("branchwise-theme");
    } catch { return null; }
  };
  const theme = stored();
  if (theme === "dark" || theme === "light") root.dataset.theme = theme;
  byId("theme").addEventListener("click", () => {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const now = root.dataset.theme || (dark ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
    stored(root.dataset.theme);
  });

  // A link into something folded away unfolds it first.
  const reveal = () => {
    const target = byId(location.hash.slice(1));
    if (!target) return;
    for (let e = target; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
    target.scrollIntoView({ block: target.tagName === "DETAILS" ? "start" : "center" });
    if (target.tabIndex === -1) target.focus({ preventScroll: true });
  };
  addEventListener("hashchange", reveal);
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (link && link.getAttribute("href") === location.hash) reveal();
  });
  if (location.hash) reveal();

  all("[data-fold]").forEach((button) => button.addEventListener("click", () => {
    all("details.fn").forEach((d) => { d.open = button.dataset.fold === "open"; });
  }));

  const filter = byId("filter"), left = byId("open-only"), rows = all(".overview tbody tr");
  const apply = () => {
    const wanted = filter.value.trim().toLowerCase();
    let shown = 0;
    rows.forEach((row) => {
      row.hidden = !row.dataset.key.includes(wanted) || (left.checked && row.dataset.left !== "true");
      if (!row.hidden) shown += 1;
    });
    byId("no-match").hidden = shown > 0;
  };
  filter.addEventListener("input", apply);
  left.addEventListener("change", apply);

  const tip = byId("tip");
  const show = (event) => {
    const badge = event.target.closest && event.target.closest("[data-tip]");
    if (!badge) { tip.hidden = true; return; }
    tip.textContent = badge.dataset.tip;
    tip.hidden = false;
    const at = badge.getBoundingClientRect(), size = tip.getBoundingClientRect();
    const above = at.top - size.height - 8;
    tip.style.left = Math.max(12, Math.min(at.left, innerWidth - size.width - 12)) + "px";
    tip.style.top = (above > 4 ? above : at.bottom + 8) + "px";
  };
  document.addEventListener("mouseover", show);
  document.addEventListener("focusin", show);
  addEventListener("scroll", () => { tip.hidden = true; }, true);
  addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });
})();
