// SPDX-License-Identifier: Apache-2.0
// Numbers for people: SI prefixes, four significant digits. And elements without innerHTML: names in recordings are
// never read as markup.

const PREFIXES = [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"],
  [1e-9, "n"]];

function significant(value, digits = 4) {
  if (value === 0) return "0";
  const before = Math.floor(Math.log10(Math.abs(value))) + 1;
  return value.toFixed(Math.max(0, digits - before));
}

function formatSI(value, unit, digits = 4) {
  if (value === null || !Number.isFinite(value)) return "–";
  if (Math.abs(value) < 5e-13) return `0 ${unit}`;
  // half of the last digit shown, so that 999.99 m becomes 1.000
  const size = Math.abs(value) * (1 + 0.5 * 10 ** -digits);
  const [factor, prefix] = PREFIXES.find(([f]) => size >= f) ?? PREFIXES[PREFIXES.length - 1];
  return `${significant(value / factor, digits)} ${prefix}${unit}`;
}

const formatSeconds = (seconds, digits) => formatSI(seconds, "s", digits);
const formatTime = (ns, digits) => formatSI(ns * 1e-9, "s", digits);
const formatBytes = (bytes) => formatSI(bytes, "B");
const formatRate = (rate) => (rate > 0 ? formatSI(rate, "flop/s") : "–");
const formatPercent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;
const formatCount = (n) => n.toLocaleString("en").replaceAll(",", "\u202f");

/** An instant, with all the digits that a look at 1 ns needs and no more than the recording has. */
function formatInstant(ns, resolutionNs = 1) {
  if (!Number.isFinite(ns)) return "–";
  const digits = Math.min(9, Math.max(3, 9 - Math.floor(Math.log10(Math.max(1, resolutionNs)))));
  return `${(ns * 1e-9).toFixed(digits)} s`;
}

/** element("td", {class: "x", onclick: f, data: {name: 1}}, "text", otherElement) */
function element(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
    else if (name === "data") Object.assign(e.dataset, value);
    else if (name === "style") Object.assign(e.style, value);
    else e.setAttribute(name, value === true ? "" : value);
  }
  e.append(...children.filter((c) => c !== undefined && c !== null));
  return e;
}

/** A bound's name beside the path that the run itself took, which is another quantity. */
function boundTitle(name) {
  return name === "critical path" ? "critical path at best durations" : name;
}
