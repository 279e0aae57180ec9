// SPDX-License-Identifier: Apache-2.0
// Messages between ranks: a lane per rank, from whose height at the time of sending a line goes to the receiver's at
// the time of arrival.

const RANK_HEIGHT = 15;  // of a rank's lane, in CSS pixels
const MOST_LINES = 4000;  // of a view in one frame; beyond it neighbours are drawn as one

class MessageLines {
  constructor(app, gantt) {
    this.app = app;
    this.gantt = gantt;
    this.shown = true;
    this.drawn = 0;  // lines of the last frame
    this.longest = app.views.map(({ message: { start, end } }) => {
      let longest = 0;
      for (let i = 0; i < start.length; ++i) longest = Math.max(longest, end[i] - start[i]);
      return longest;
    });
  }
  get any() { return this.app.views.some((v) => v.message.start.length > 0); }

  /** The middle of the lane of a rank. */
  y(view, rank) {
    return this.gantt.y(view.rankLanes[rank].y + RANK_HEIGHT / 2);
  }
  /** Numbers of the messages that are under way in [t0, t1]: [first, last), some of which have ended. */
  range(view, t0, t1) {
    const { start } = view.message;
    return [upperBound(start, t0 - this.longest[view.index] - 1), upperBound(start, t1)];
  }

  /**
   * Messages to draw. Those of one pair of ranks that begin and end in the same columns of pixels are one line; columns
   * grow until there are few enough, so that the time of a frame does not depend on the number of messages.
   */
  chosen(view) {
    const { axis } = this.app;
    const { start, end, from, to } = view.message;
    const [first, last] = this.range(view, axis.t0, axis.t1);
    const scale = this.gantt.plotWidth / axis.span;
    const { ranks } = view;
    for (let column = 1; ; column *= 2) {
      const seen = new Set();
      const list = [];
      for (let i = first; i < last && list.length <= MOST_LINES; ++i) {
        if (end[i] < axis.t0) continue;
        const a = Math.max(-1, Math.floor(((start[i] - axis.t0) * scale) / column));
        const b = Math.min(0xfffe, Math.floor(((end[i] - axis.t0) * scale) / column));
        const key = ((from[i] * ranks + to[i]) * 0x10000 + a + 1) * 0x10000 + b + 1;
        if (seen.has(key)) continue;
        seen.add(key);
        list.push(i);
      }
      if (list.length <= MOST_LINES || column > this.gantt.plotWidth) return list;
    }
  }

  draw(context) {
    this.drawn = 0;
    if (!this.shown || !this.any) return;
    const { gantt, app: { palette: { theme } } } = this;
    context.save();
    context.beginPath();
    context.rect(GUTTER, AXIS_HEIGHT, gantt.plotWidth, gantt.height - AXIS_HEIGHT);
    context.clip();
    context.strokeStyle = theme.text;
    context.fillStyle = theme.text;
    for (const view of this.app.views) {
      if (view.message.start.length === 0) continue;
      const list = this.chosen(view);
      context.globalAlpha = list.length > 500 ? 0.45 : 0.8;
      context.lineWidth = 1;
      context.beginPath();
      for (const i of list) this.trace(context, view, i);
      context.stroke();
      if (list.length <= 500) for (const i of list) this.head(context, view, i);
      this.drawn += list.length;
    }
    context.restore();
  }

  ends(view, message) {
    const { start, end, from, to } = view.message;
    return { x0: this.gantt.x(start[message]), y0: this.y(view, from[message]),
      x1: this.gantt.x(end[message]), y1: this.y(view, to[message]) };
  }
  trace(context, view, message) {
    const { x0, y0, x1, y1 } = this.ends(view, message);
    const { height } = this.gantt;
    if (Math.max(y0, y1) < AXIS_HEIGHT || Math.min(y0, y1) > height) return;
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
  }
  head(context, view, message) {
    const { x0, y0, x1, y1 } = this.ends(view, message);
    const angle = Math.atan2(y1 - y0, x1 - x0);
    const corner = (turn) => [x1 - 6 * Math.cos(angle + turn), y1 - 6 * Math.sin(angle + turn)];
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(...corner(0.4));
    context.lineTo(...corner(-0.4));
    context.fill();
  }

  /** {view, message} of the line nearest to a point of the canvas, within 4 pixels; or null. */
  at(x, y) {
    if (!this.shown || x < GUTTER || y < AXIS_HEIGHT) return null;
    const { axis } = this.app;
    const time = (px) => axis.time(px - GUTTER, this.gantt.plotWidth);
    let best = null;
    let nearest = 4;
    for (const view of this.app.views) {
      const { start, end } = view.message;
      if (start.length === 0) continue;
      const [first, last] = this.range(view, time(x - 4), time(x + 4));
      for (let i = first; i < last; ++i) {
        if (end[i] < time(x - 4)) continue;
        const { x0, y0, x1, y1 } = this.ends(view, i);
        const [dx, dy] = [x1 - x0, y1 - y0];
        const share = Math.min(1, Math.max(0, ((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy || 1)));
        const distance = Math.hypot(x - x0 - share * dx, y - y0 - share * dy);
        if (distance >= nearest) continue;
        nearest = distance;
        best = { view, message: i };
      }
    }
    return best;
  }

  /** On top of the chart: the one under the pointer. */
  emphasise(context, { view, message }) {
    const { theme } = this.app.palette;
    for (const [style, width] of [[theme.panel, 5], [theme.accent, 2.5]]) {
      context.strokeStyle = style;
      context.fillStyle = style;
      context.lineWidth = width;
      context.beginPath();
      this.trace(context, view, message);
      context.stroke();
    }
    this.head(context, view, message);
  }

  /** The names of the ranks and how much of their units' time is computing. */
  drawRanks(context) {
    const { gantt, app: { palette: { theme } } } = this;
    for (const view of this.app.views) {
      for (const { rank, y } of view.rankLanes) {
        const top = gantt.y(y);
        if (top + RANK_HEIGHT < AXIS_HEIGHT || top > gantt.height) continue;
        context.fillStyle = theme.line;
        context.globalAlpha = 0.5;
        context.fillRect(0, top, gantt.width, RANK_HEIGHT - 1);
        context.globalAlpha = 1;
        context.font = `600 11px ${FONT}`;
        context.textAlign = "left";
        context.textBaseline = "middle";
        context.fillStyle = theme.text;
        context.fillText(`rank ${rank}`, 8, top + RANK_HEIGHT / 2);
        context.textAlign = "right";
        context.fillStyle = theme.muted;
        context.fillText(formatPercent(view.metrics.rank[rank].state[0]), GUTTER - 9, top + RANK_HEIGHT / 2);
      }
    }
  }

  /** [[label, text, key]] of everything recorded about a message. */
  fields(view, i) {
    const m = view.message;
    const seconds = (m.end[i] - m.start[i]) * 1e-9;
    return [
      ["from", `rank ${m.from[i]}`, "from"],
      ["to", `rank ${m.to[i]}`, "to"],
      ["bytes", `${formatBytes(m.bytes[i])} (${formatCount(m.bytes[i])})`, "bytes"],
      ["sent", formatInstant(m.start[i]), "sent"],
      ["arrived", formatInstant(m.end[i]), "arrived"],
      ["under way", formatSeconds(seconds), "duration"],
      seconds > 0 ? ["rate", formatSI(m.bytes[i] / seconds, "B/s"), "rate"] : null,
      m.handle[i] !== NONE ? ["data", view.handleName.at(m.handle[i]), "handle"] : null,
      m.tag[i] >= 0 ? ["tag", `${m.tag[i]}`, "tag"] : null,
    ].filter((f) => f !== null);
  }
}
