// SPDX-License-Identifier: Apache-2.0
// Curves under the Gantt chart, on the same time axis: ready tasks, submitted tasks, and bytes per second over links.

const PANEL_GAP = 10;
const SHOWN_LINKS = 7;  // the busiest; the others are added up

class LinkRates {
  /** `transfers`: {start, end, bytes, from, to}; `names`: of the ends. */
  constructor(transfers, names, palette) {
    this.transfers = transfers;
    const { from, to, bytes, start, end } = transfers;
    const total = new Map();
    const key = (i) => from[i] * names.length + to[i];
    for (let i = 0; i < from.length; ++i) total.set(key(i), (total.get(key(i)) ?? 0) + bytes[i]);
    const order = [...total.keys()].sort((a, b) => total.get(b) - total.get(a));
    const slot = new Map(order.map((k, i) => [k, Math.min(i, SHOWN_LINKS)]));
    this.slot = Uint8Array.from(from, (_, i) => slot.get(key(i)));
    this.links = order.slice(0, SHOWN_LINKS).map(
      (k) => `${names[Math.floor(k / names.length)]} → ${names[k % names.length]}`);
    if (order.length > SHOWN_LINKS) this.links.push(`${order.length - SHOWN_LINKS} other links`);
    this.longest = 0;
    for (let i = 0; i < start.length; ++i) this.longest = Math.max(this.longest, end[i] - start[i]);
    this.palette = palette;
  }

  /** Bytes per second in each of `width` columns, per link: every transfer spreads its bytes evenly over its time. */
  bin(axis, width) {
    const { start, end, bytes } = this.transfers;
    const scale = width / axis.span;
    const rates = this.links.map(() => new Float64Array(width));
    const steps = this.links.map(() => new Float64Array(width + 1));
    let largest = 0;
    for (let i = upperBound(start, axis.t0 - this.longest); i < start.length && start[i] < axis.t1; ++i) {
      const from = (start[i] - axis.t0) * scale;
      const to = Math.max((end[i] - axis.t0) * scale, from + 1e-6);
      if (to <= 0) continue;
      const perColumn = bytes[i] / (to - from);
      if (perColumn > largest) largest = perColumn;
      const rate = rates[this.slot[i]];
      const first = Math.max(0, Math.floor(from));
      const last = Math.min(width - 1, Math.floor(to));
      const overlap = (column) => Math.min(to, column + 1) - Math.max(from, column);
      rate[first] += perColumn * overlap(first);
      if (last > first) rate[last] += perColumn * overlap(last);
      if (last > first + 1) {
        steps[this.slot[i]][first + 1] += perColumn;
        steps[this.slot[i]][last] -= perColumn;
      }
    }
    const perSecond = scale * 1e9;
    rates.forEach((rate, link) => {
      let level = 0;
      for (let x = 0; x < width; ++x) {
        level += steps[link][x];
        const sum = rate[x] + level;
        rate[x] = sum > 1e-9 * largest ? sum * perSecond : 0;  // less is what rounding left of ended transfers
      }
    });
    return rates;
  }
}

class Panels {
  constructor(app, area) {
    this.app = app;
    this.area = area;
    this.canvas = area.querySelector("canvas");
    this.still = document.createElement("canvas");  // all but the cursor
    this.rows = [];
    for (const view of app.views) {
      for (const curve of view.curves) if (curve.time.length > 0) this.rows.push({ view, curve });
      const rates = (title, transfers, names) => transfers.start.length > 0
        && this.rows.push({ view, title, links: new LinkRates(transfers, names, app.palette) });
      rates("Transfers", view.transfer, view.nodes);
      rates("Messages", view.message, Array.from({ length: view.ranks }, (_, rank) => `rank ${rank}`));
    }
    this.several = app.views.length > 1;
    this.panelHeight = this.several ? 34 : 58;
    this.folded = this.several;  // many curves would push the summary away
    this.fold(this.folded);
    this.canvas.addEventListener("pointermove", (e) => {
      const x = e.clientX - this.canvas.getBoundingClientRect().left;
      app.setCursor(x >= GUTTER ? app.axis.time(x - GUTTER, this.plotWidth) : null);
    });
    this.canvas.addEventListener("pointerleave", () => app.setCursor(null));
  }
  fold(folded) {
    this.folded = folded;
    this.area.hidden = this.rows.length === 0 || folded;
    if (!this.area.hidden) this.app.invalidate("panels");
  }
  get visible() { return this.rows.length > 0 && !this.folded; }

  // as wide as the chart, whose scroll bar takes some of the width
  get width() { return this.app.gantt.width; }
  get plotWidth() { return this.app.gantt.plotWidth; }

  get height() { return this.rows.length * (this.panelHeight + PANEL_GAP) + PANEL_GAP; }

  draw() {
    if (!this.visible) return;
    const context = fitCanvas(this.still, this.width, this.height);
    context.fillStyle = this.app.palette.theme.panel;
    context.fillRect(0, 0, this.width, this.height);
    this.rows.forEach((row, i) => {
      row.top = PANEL_GAP + i * (this.panelHeight + PANEL_GAP);
      if (row.curve) this.drawCurve(context, row);
      else this.drawLinks(context, row);
    });
  }
  show() {
    if (!this.visible) return;
    const context = fitCanvas(this.canvas, this.width, this.height);
    context.drawImage(this.still, 0, 0, this.width, this.height);
    this.drawCursor(context);
  }

  /** The area between two step functions, given as y per pixel column, for columns [first, last). */
  band(context, first, last, upper, lower) {
    context.beginPath();
    for (let x = first; x < last; ++x) {
      context.lineTo(GUTTER + x, upper(x));
      context.lineTo(GUTTER + x + 1, upper(x));
    }
    for (let x = last - 1; x >= first; --x) {
      context.lineTo(GUTTER + x + 1, lower(x));
      context.lineTo(GUTTER + x, lower(x));
    }
    context.fill();
  }

  /** The background, the title and the scale of a row. */
  frame(context, row, title, top, unit) {
    const { theme } = this.app.palette;
    context.strokeStyle = theme.line;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(GUTTER, row.top + this.panelHeight + 0.5);
    context.lineTo(this.width, row.top + this.panelHeight + 0.5);
    context.stroke();
    context.textAlign = "left";
    context.textBaseline = "alphabetic";
    context.font = `12px ${FONT}`;
    context.fillStyle = theme.text;
    context.fillText(title, 8, row.top + 11);
    context.font = `11px ${FONT}`;
    context.fillStyle = theme.muted;
    if (this.several) context.fillText(clipText(context, row.view.name, 90), 8, row.top + 26);
    context.textAlign = "right";
    context.fillText(unit ? formatSI(top, unit, 3) : formatCount(top), GUTTER - 9, row.top + 10);
    row.readoutY = row.top + 26;
  }

  drawCurve(context, row) {
    const { axis, palette } = this.app;
    const { time, value, name } = row.curve;
    const first = Math.max(0, upperBound(time, axis.t0) - 1);
    const last = upperBound(time, axis.t1);
    const w = this.plotWidth;
    // per column the largest and the smallest value, so that short peaks stay
    const high = new Float64Array(w).fill(-1);
    const low = new Float64Array(w).fill(Infinity);
    let top = 1;
    for (let i = first; i < last; ++i) {
      const from = Math.max(0, Math.floor(axis.x(time[i], w)));
      const to = i + 1 < time.length ? Math.min(w - 1, Math.floor(axis.x(time[i + 1], w))) : w - 1;
      for (let x = from; x <= to; ++x) {
        if (value[i] > high[x]) high[x] = value[i];
        if (value[i] < low[x]) low[x] = value[i];
      }
      if (value[i] > top) top = value[i];
    }
    this.frame(context, row, name === "ready" ? "Ready tasks" : "Submitted tasks", top);
    const y = (v) => row.top + this.panelHeight - (v / top) * (this.panelHeight - 2);
    let begin = 0;
    while (begin < w && high[begin] < 0) ++begin;
    const end = Math.max(begin, Math.min(w, Math.ceil(axis.x(row.view.makespanNs, w))));
    context.fillStyle = name === "ready" ? palette.theme.accent : palette.theme.muted;
    context.globalAlpha = 0.25;
    this.band(context, begin, end, (x) => y(low[x]), () => row.top + this.panelHeight);
    context.globalAlpha = 1;
    this.band(context, begin, end, (x) => y(high[x]), (x) => Math.max(y(high[x]) + 1.5, y(low[x])));
    row.readout = (t) => {
      const i = upperBound(time, t) - 1;
      return i < 0 ? "–" : formatCount(value[i]);
    };
  }

  drawLinks(context, row) {
    const { axis, palette } = this.app;
    const w = this.plotWidth;
    const rates = row.links.bin(axis, w);
    const sum = new Float64Array(w);
    for (const rate of rates) for (let x = 0; x < w; ++x) sum[x] += rate[x];
    let top = 0;
    for (const s of sum) top = Math.max(top, s);
    this.frame(context, row, row.title, top, "B/s");
    const base = new Float64Array(w);
    const height = (v) => (top > 0 ? (v / top) * (this.panelHeight - 2) : 0);
    rates.forEach((rate, link) => {
      context.fillStyle = CODELET_COLOURS[(link * 5 + 9) % CODELET_COLOURS.length];
      if (rate.every((r) => r === 0)) return;
      const above = base.map((b, x) => b + height(rate[x]));
      const bottom = row.top + this.panelHeight;
      this.band(context, 0, w, (x) => bottom - above[x], (x) => bottom - base[x]);
      base.set(above);
    });
    row.readout = (t) => {
      const x = Math.floor(axis.x(t, w));
      return x >= 0 && x < w ? formatSI(sum[x], "B/s", 3) : "–";
    };
    row.detail = (t) => {
      const x = Math.floor(axis.x(t, w));
      return row.links.links.map((name, link) => [name, rates[link][x], link]).filter(([, rate]) => rate > 0);
    };
  }

  drawCursor(context) {
    const { axis, palette: { theme } } = this.app;
    const t = this.app.overlay.cursor;
    if (t === null) return;
    const x = Math.round(GUTTER + axis.x(t, this.plotWidth)) + 0.5;
    context.strokeStyle = theme.muted;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x, 0);
    context.lineTo(x, this.canvas.height);
    context.stroke();
    context.textBaseline = "alphabetic";
    for (const row of this.rows) {
      context.font = `600 12px ${FONT}`;
      context.textAlign = "right";
      context.fillStyle = theme.text;
      context.fillText(row.readout(t), GUTTER - 9, row.readoutY);
      context.textAlign = "left";
      if (row.detail) this.drawDetail(context, row, x, row.detail(t));
    }
  }

  drawDetail(context, row, x, lines) {
    const { theme } = this.app.palette;
    context.font = `11px ${FONT}`;
    const texts = lines.map(([name, rate]) => `${name}  ${formatSI(rate, "B/s", 3)}`);
    const width = Math.max(0, ...texts.map((t) => context.measureText(t).width)) + 22;
    const left = x + width + 8 > this.width ? x - width - 6 : x + 6;
    texts.forEach((text, i) => {
      const y = row.top + 12 + 14 * i;
      context.fillStyle = theme.panel;
      context.globalAlpha = 0.88;
      context.fillRect(left, y - 11, width, 14);
      context.globalAlpha = 1;
      context.fillStyle = CODELET_COLOURS[(lines[i][2] * 5 + 9) % CODELET_COLOURS.length];
      context.fillRect(left + 4, y - 8, 8, 8);
      context.fillStyle = theme.text;
      context.fillText(text, left + 16, y);
    });
  }
}
