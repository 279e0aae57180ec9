// SPDX-License-Identifier: Apache-2.0
// Colours. Idle is red and waiting for data purple, as in Agullo, Bramas, Coulaud, Darve, Messner, Takahashi (SISC
// 2014); codelets keep away from both. Neighbours in the list differ in lightness as well as in hue, so that they stay
// apart for colour-blind readers and in grey print.

const CODELET_COLOURS = ["#2f74c0", "#8fd0b0", "#f2a541", "#16527a", "#a9d3f2", "#3d8f5f", "#f7e08a", "#5b6f86", "#bcd35f",
  "#1b9aaa", "#f6c9a0", "#2f5d3a"];
const STATE_COLOURS = [null, "#8e5bb5", "#c2a01f", "#94836f", "#d9483f"];

function parseColour(hex) {
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
}
function mixColours(a, b, share) {
  return a.map((x, i) => Math.round(x + (b[i] - x) * share));
}
const colourText = (rgb) => `rgb(${rgb[0]} ${rgb[1]} ${rgb[2]})`;
/** As a little-endian pixel of ImageData. */
const packColour = (rgb) => ((255 << 24) | (rgb[2] << 16) | (rgb[1] << 8) | rgb[0]) >>> 0;
const isLight = (rgb) => 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2] > 140;

/**
 * What can be drawn in a lane is a category: the codelets of all views (by name), then the states from waiting to idle.
 * Category c + count is the same, dimmed.
 */
class Palette {
  constructor(views) {
    const total = new Map();
    for (const view of views) {
      for (const codelet of view.codelets) total.set(codelet.name, total.get(codelet.name) ?? 0);
      for (const use of view.metrics.codelets) {
        const name = view.codelets[use.codelet].name;
        total.set(name, total.get(name) + use.total);
      }
    }
    if (views.some((v) => v.task.codelet.includes(NONE))) total.set("(no codelet)", 0);
    this.names = [...total.keys()].sort((a, b) => total.get(b) - total.get(a) || (a < b ? -1 : 1));
    this.ran = new Set(views.flatMap((v) => v.metrics.codelets.map((use) => v.codelets[use.codelet].name)));
    this.number = new Map(this.names.map((name, i) => [name, i]));
    this.codelets = this.names.length;
    this.count = this.codelets + STATES.length - 1;
    this.rgb = [];
    for (let i = 0; i < this.codelets; ++i) {
      const base = parseColour(CODELET_COLOURS[i % CODELET_COLOURS.length]);
      // beyond the list: the same hues, each round darker
      this.rgb.push(mixColours(base, [20, 30, 40], 1 - 0.72 ** Math.floor(i / CODELET_COLOURS.length)));
    }
    for (let s = 1; s < STATES.length; ++s) this.rgb.push(parseColour(STATE_COLOURS[s]));
    for (const view of views) {
      view.category = Uint16Array.from(view.codelets, (c) => this.number.get(c.name));
      view.noCodelet = this.number.get("(no codelet)") ?? 0;
    }
    this.readTheme();
  }

  readTheme() {
    const style = getComputedStyle(document.documentElement);
    const get = (name) => style.getPropertyValue("--" + name).trim();
    this.theme = Object.fromEntries(
      ["background", "panel", "text", "muted", "line", "accent", "strong"].map((name) => [name, get(name)]));
    const background = parseColour(this.theme.panel);
    const dimmed = this.rgb.map((c) => mixColours(c, background, 0.82));
    const all = [...this.rgb, ...dimmed];
    this.background = packColour(background);
    this.pixel = Uint32Array.from(all, packColour);
    this.edgePixel = Uint32Array.from(all, (c) => packColour(mixColours(c, [0, 0, 0], 0.28)));
  }

  ofState(state) { return this.codelets + state - 1; }
  ofTask(view, task) {
    const codelet = view.task.codelet[task];
    return codelet === NONE ? view.noCodelet : view.category[codelet];
  }
  text(category) { return colourText(this.rgb[category]); }
}
