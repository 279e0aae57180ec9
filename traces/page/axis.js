// SPDX-License-Identifier: Apache-2.0
// The time window that all charts share, and its ticks.

class TimeAxis {
  constructor(whole) {
    this.whole = whole;  // ns: the longest makespan
    this.margin = 0.02 * whole;
    this.shortest = 100;  // ns
    this.t0 = 0;
    this.t1 = whole;
    this.listeners = [];
    this.reset();
  }
  get span() { return this.t1 - this.t0; }

  set(t0, t1) {
    const low = -this.margin;
    const high = this.whole + this.margin;
    const span = Math.min(high - low, Math.max(this.shortest, t1 - t0));
    if (t1 - t0 < span) t0 = (t0 + t1 - span) / 2;
    t0 = Math.min(high - span, Math.max(low, t0));
    if (t0 === this.t0 && t0 + span === this.t1) return;
    this.t0 = t0;
    this.t1 = t0 + span;
    for (const listener of this.listeners) listener();
  }
  reset() { this.set(-this.margin / 4, this.whole + this.margin); }
  zoom(factor, around) {
    const left = (around - this.t0) / this.span;
    const span = Math.min(this.whole + 2 * this.margin, Math.max(this.shortest, this.span * factor));
    this.set(around - left * span, around + (1 - left) * span);
  }
  pan(ns) { this.set(this.t0 + ns, this.t1 + ns); }
  /** Moves as little as needed to show [start, end]. */
  reveal(start, end) {
    if (start >= this.t0 && end <= this.t1) return;
    const span = Math.max(this.span, 1.4 * (end - start));
    this.set((start + end - span) / 2, (start + end + span) / 2);
  }
  x(t, width) { return ((t - this.t0) / this.span) * width; }
  time(x, width) { return this.t0 + (x / width) * this.span; }

  /**
   * {base, labels: [{t, text}]}. Looking at microseconds far from the begin, every label would repeat the same seconds:
   * then they count from a base, which is shown once ("12.345 s +").
   */
  ticks(width) {
    const rough = (this.span * 90) / width;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough);
    const first = Math.ceil(this.t0 / step);
    const last = Math.floor(this.t1 / step);
    const farthest = Math.max(Math.abs(this.t0), Math.abs(this.t1));
    const relative = farthest > 2e4 * step;
    const base = relative ? Math.floor(this.t0 / (1000 * power)) * 1000 * power : 0;
    const largest = Math.max(Math.abs(last * step - base), step);
    const [factor, unit] = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]].find(([f]) => largest >= f) ?? [1, "ns"];
    const digits = Math.max(0, Math.ceil(-Math.log10(step / factor) - 1e-9));
    const labels = [];
    for (let i = first; i <= last; ++i) {
      const value = ((i * step - base) / factor).toFixed(digits);
      labels.push({ t: i * step, text: `${relative ? "+" : ""}${Number(value) === 0 ? "0" : value} ${unit}` });
    }
    return { base: relative ? formatInstant(base, power * 1000) + " +" : "", labels };
  }
}

/** The part of the page's address that shows [begin, end] seconds: "#0.25:0.5", and what it says; null: no interval. */
const intervalHash = (begin, end) => `#${begin.toFixed(9)}:${end.toFixed(9)}`;
function readIntervalHash(hash) {
  const found = /^#([0-9.]+):([0-9.]+)$/.exec(hash);
  const [begin, end] = found ? found.slice(1).map(Number) : [NaN, NaN];
  return end >= begin ? { begin, end } : null;
}
