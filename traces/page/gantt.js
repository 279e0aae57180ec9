// SPDX-License-Identifier: Apache-2.0
// The Gantt chart: a lane per unit, all views below one another on one time axis. The canvas is as high as the visible
// part; the browser scrolls an empty element of the full height behind it.

const GUTTER = 172;  // left of the plot: names and shares, in CSS pixels
const AXIS_HEIGHT = 24;
const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";

function clipText(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(text.slice(0, middle) + "…").width <= width) low = middle;
    else high = middle - 1;
  }
  return low > 0 ? text.slice(0, low) + "…" : "";
}

/** Fits the canvas to its place; returns its context in CSS pixels. */
function fitCanvas(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const w = Math.round(width * ratio);
  const h = Math.round(height * ratio);
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.width = width + "px";
    canvas.style.height = height + "px";
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

/** Bounds that are equal have one line and one label: [{names, explanations, seconds}]. */
function equalBounds(bounds) {
  const all = [];
  for (const b of bounds) {
    const equal = all.find((other) => Math.abs(other.seconds - b.seconds) <= 1e-9 * b.seconds);
    const name = boundTitle(b.name);
    if (equal) equal.names.push(name);
    if (equal) equal.explanations.push(b.explanation);
    else all.push({ names: [name], explanations: [b.explanation], seconds: b.seconds });
  }
  return all;
}

class Gantt {
  constructor(app, scroller) {
    this.app = app;
    this.scroller = scroller;
    this.canvas = scroller.querySelector("#chart");
    this.spacer = scroller.querySelector("#spacer");
    this.painter = new LanePainter(app.palette);
    this.messages = new MessageLines(app, this);
    this.laneScale = 1;  // the user's, times the height that fits
    this.lanes = [];
    this.heads = [];
  }

  get width() { return this.scroller.clientWidth; }
  get height() { return this.scroller.clientHeight; }
  get plotWidth() { return Math.max(50, this.width - GUTTER); }
  get scroll() { return this.scroller.scrollTop; }

  layout() {
    const { views } = this.app;
    const units = views.reduce((sum, v) => sum + v.units.length, 0);
    const headHeights = views.map((v) => 7 + 15 * this.rowsOf(v));
    const heads = headHeights.reduce((a, b) => a + b, 0);
    const most = Math.max(260, Math.round(window.innerHeight * 0.62));
    const ranks = views.reduce((sum, v) => sum + (v.ranks > 1 ? v.ranks : 0), 0);
    const room = most - AXIS_HEIGHT - heads - 8 * views.length - ranks * (RANK_HEIGHT + 4);
    const fitting = Math.min(26, Math.max(9, Math.floor(room / Math.max(1, units))));
    this.laneHeight = Math.min(60, Math.max(3, Math.round(fitting * this.laneScale)));
    this.lanes = [];
    this.heads = [];
    let y = 0;
    for (const view of views) {
      this.heads.push({ view, y, height: headHeights[view.index] });
      y += headHeights[view.index];
      view.firstLane = this.lanes.length;
      view.rankLanes = [];
      const rankLanes = (end) => {  // a rank without units has a lane all the same
        for (let rank = view.rankLanes.length; view.ranks > 1 && rank < end; ++rank) {
          view.rankLanes.push({ rank, y });
          y += RANK_HEIGHT;
        }
      };
      view.units.forEach((unit, u) => {
        const before = view.units[u - 1];
        if (before && (before.kind !== unit.kind || before.rank !== unit.rank)) y += 4;
        rankLanes(unit.rank + 1);
        this.lanes.push({ view, unit, y, height: this.laneHeight });
        y += this.laneHeight;
      });
      rankLanes(view.ranks);
      y += 8;
    }
    this.contentHeight = y;
    this.scroller.style.height = Math.min(most, AXIS_HEIGHT + y + 1) + "px";
    this.spacer.style.height = AXIS_HEIGHT + y + "px";
  }

  /** Rows that the labels of a view's lines need when all is shown; zooming in only moves them apart. */
  rowsOf(view) {
    const context = this.canvas.getContext("2d");
    context.font = `11px ${FONT}`;
    const taken = [];
    const lines = this.linesOf(view);
    for (const line of lines) {
      const x = (line.ns / (1.03 * this.app.axis.whole)) * this.plotWidth;
      this.place(taken, lines.length, x, context.measureText(line.label).width, this.plotWidth);
    }
    return Math.max(1, taken.length);
  }
  /** {start, row} of a label at a line; `taken`: where each row's last label ends. */
  place(taken, rows, x, width, right) {
    const start = x + 6 + width > right ? x - 6 - width : x + 5;
    let row = taken.findIndex((end) => end + 8 < start);
    if (row < 0) row = taken.length < rows ? taken.length : taken.indexOf(Math.min(...taken));
    taken[row] = start + width;
    return { start, row };
  }

  /** CSS pixels in the canvas. */
  x(t) { return GUTTER + this.app.axis.x(t, this.plotWidth); }
  y(contentY) { return AXIS_HEIGHT + contentY - this.scroll; }
  laneOf(view, unit) { return this.lanes[view.firstLane + unit]; }
  laneAt(y) {
    if (y < AXIS_HEIGHT) return undefined;
    const content = y - AXIS_HEIGHT + this.scroll;
    return this.lanes.find((l) => content >= l.y && content < l.y + l.height);
  }

  /** {view, unit, span, task, lane} at a point of the canvas, or null. */
  hit(x, y) {
    const lane = this.laneAt(y);
    if (!lane || x < GUTTER || x >= this.width) return null;
    const { unit, view } = lane;
    const time = this.app.axis.time(x - GUTTER, this.plotWidth);
    const span = upperBound(unit.edges, time) - 1;
    if (span < 0 || span >= unit.states.length) return null;
    return { view, unit, span, task: unit.tasks[span], lane, time };
  }

  /** Where a task is drawn, possibly out of sight; null for a node that nobody executed. */
  rectangle(view, task) {
    if (!view.executed(task)) return null;
    const lane = this.laneOf(view, view.task.unit[task]);
    return { x0: this.x(view.task.start[task]), x1: this.x(view.task.end[task]), y: this.y(lane.y), height: lane.height };
  }

  draw() {
    const { width, height, plotWidth } = this;
    const context = fitCanvas(this.canvas, width, height);
    const { theme } = this.app.palette;
    context.fillStyle = theme.panel;
    context.fillRect(0, 0, width, height);
    this.drawLanes(context, plotWidth, height);
    const first = this.lanes.findIndex((l) => this.y(l.y + l.height) > AXIS_HEIGHT);
    const visible = [];
    for (let i = Math.max(0, first); i < this.lanes.length && this.y(this.lanes[i].y) < height; ++i) {
      visible.push(this.lanes[i]);
    }
    if (this.laneHeight >= 13) for (const lane of visible) this.drawTaskNames(context, lane);
    this.messages.drawRanks(context);
    this.drawGutter(context, visible);
    this.messages.draw(context);
    for (const head of this.heads) this.drawHead(context, head);
    this.drawAxis(context);
  }

  drawLanes(context, plotWidth, height) {
    const ratio = window.devicePixelRatio || 1;
    const left = Math.round(GUTTER * ratio);
    const top = Math.round(AXIS_HEIGHT * ratio);
    const columns = Math.round(plotWidth * ratio);
    const rows = Math.max(1, Math.round(height * ratio) - top);
    this.painter.resize(columns, rows);
    this.painter.clear();
    const gap = this.laneHeight >= 6 ? 1 : 0;
    for (const lane of this.lanes) {
      const y = Math.round((lane.y - this.scroll) * ratio);
      const end = Math.round((lane.y + lane.height - this.scroll - gap) * ratio);
      if (end > 0 && y < rows) this.painter.paint(lane.unit, this.app.axis, y, end - y);
    }
    context.putImageData(this.painter.image, left, top);
  }

  drawTaskNames(context, lane) {
    const { axis, palette } = this.app;
    const { edges, tasks, category } = lane.unit;
    const first = Math.max(0, upperBound(edges, axis.t0) - 1);
    const last = Math.min(tasks.length, upperBound(edges, axis.t1));
    if (last - first > this.plotWidth / 4) return;  // no room for names anyway
    context.font = `11px ${FONT}`;
    context.textBaseline = "middle";
    context.textAlign = "left";
    for (let i = first; i < last; ++i) {
      if (tasks[i] === NONE || category[i] >= palette.count) continue;
      const from = Math.max(GUTTER, this.x(edges[i])) + 5;
      const room = Math.min(this.width, this.x(edges[i + 1])) - from - 4;
      if (room < 24) continue;
      context.fillStyle = isLight(palette.rgb[category[i]]) ? "#10202f" : "#ffffff";
      context.fillText(clipText(context, lane.view.codeletName(tasks[i]), room), from, this.y(lane.y) + lane.height / 2);
    }
  }

  drawGutter(context, visible) {
    const { theme } = this.app.palette;
    context.textBaseline = "middle";
    const size = Math.min(12, Math.max(8, this.laneHeight - 1));
    // too low for text: only every n-th lane is named
    const every = this.laneHeight >= 8 ? 1 : Math.ceil(9 / this.laneHeight);
    for (const lane of visible) {
      if (lane.unit.index % every !== 0) continue;
      const y = this.y(lane.y) + (lane.height - 1) / 2;
      const computing = lane.unit.shares.state[0];
      if (lane.height >= 8) {
        context.fillStyle = theme.line;
        context.fillRect(GUTTER - 58, this.y(lane.y) + 1, 52, lane.height - 3);
        context.fillStyle = theme.strong;
        context.fillRect(GUTTER - 58, this.y(lane.y) + 1, 52 * computing, lane.height - 3);
      }
      context.font = `${size}px ${FONT}`;
      context.fillStyle = theme.text;
      context.textAlign = "left";
      context.fillText(clipText(context, lane.unit.name, GUTTER - 72), 8, y + 0.5);
      context.textAlign = "right";
      context.fillText(formatPercent(computing), GUTTER - 9, y + 0.5);
    }
  }

  /** The lines of a view: its bounds and its makespan, [{name, ns, label, explanation}]. */
  linesOf(view) {
    const lines = equalBounds(view.bounds).map(({ names, explanations, seconds }) => ({
      name: names.join(" = "), ns: seconds * 1e9, explanation: explanations.join(" "),
      label: `${names.join(" = ")} ${formatSeconds(seconds)} · ${formatPercent(seconds / view.makespan)}`,
    }));
    lines.push({ name: "makespan", ns: view.makespanNs, end: true, explanation: "The last task's end.",
      label: `makespan ${formatSeconds(view.makespan)}` });
    return lines.sort((a, b) => a.ns - b.ns);
  }

  drawHead(context, head) {
    const { theme } = this.app.palette;
    const top = this.y(head.y);
    const lanes = this.lanes.filter((l) => l.view === head.view);
    const bottom = lanes.length > 0 ? this.y(lanes[lanes.length - 1].y + this.laneHeight) : top + head.height;
    head.hits = [];
    if (bottom < 0 || top > this.height) return;
    context.save();
    context.beginPath();
    context.rect(0, AXIS_HEIGHT, this.width, this.height - AXIS_HEIGHT);
    context.clip();
    context.fillStyle = theme.text;
    context.textBaseline = "alphabetic";
    context.textAlign = "left";
    context.font = `600 12px ${FONT}`;
    context.fillText(clipText(context, head.view.name, GUTTER - 16), 8, top + head.height - 6);
    context.beginPath();
    context.rect(GUTTER, AXIS_HEIGHT, this.plotWidth, this.height);
    context.clip();
    context.font = `11px ${FONT}`;
    const rows = Math.max(1, Math.floor((head.height - 6) / 15));
    const taken = [];
    this.drawMarkers(context, head, top + head.height - 1);
    for (const line of this.linesOf(head.view)) {
      const x = Math.round(this.x(line.ns)) + 0.5;
      if (x < GUTTER - 1 || x > this.width + 1) continue;
      const width = context.measureText(line.label).width;
      const { start, row } = this.place(taken, rows, x, width, this.width);
      const y = top + head.height - 7 - row * 15;
      context.strokeStyle = theme.text;
      context.lineWidth = line.end ? 1 : 1.5;
      context.setLineDash(line.end ? [] : [5, 4]);
      context.beginPath();
      context.moveTo(x, y - 9);
      context.lineTo(x, bottom);
      context.stroke();
      context.setLineDash([]);
      head.hits.push({ line, start, width, y, x0: Math.min(start, x) - 2, x1: Math.max(start + width, x) + 2, y0: y - 12, y1: y + 4, x, bottom });
    }
    // labels over the lines of others
    for (const { line, start, width, y } of head.hits.filter((h) => h.width)) {
      context.fillStyle = theme.panel;
      context.fillRect(start - 2, y - 11, width + 4, 14);
      context.fillStyle = line.end ? theme.muted : theme.text;
      context.fillText(line.label, start, y);
    }
    context.restore();
  }

  /** Events that the program recorded: small triangles above the lanes. */
  drawMarkers(context, head, y) {
    context.fillStyle = this.app.palette.theme.accent;
    for (const marker of head.view.markers) {
      const x = this.x(marker.time * 1e9);
      if (x < GUTTER || x > this.width) continue;
      context.beginPath();
      context.moveTo(x - 4, y - 6);
      context.lineTo(x + 4, y - 6);
      context.lineTo(x, y);
      context.fill();
      head.hits.push({ line: { label: marker.text, explanation: `Recorded by the program at ${formatSeconds(marker.time)}.` },
        x0: x - 4, x1: x + 4, y0: y - 8, y1: y + 1, x, bottom: y });
    }
  }

  drawAxis(context) {
    const { axis, palette: { theme } } = this.app;
    context.fillStyle = theme.panel;
    context.fillRect(0, 0, this.width, AXIS_HEIGHT);
    context.strokeStyle = theme.line;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(0, AXIS_HEIGHT - 0.5);
    context.lineTo(this.width, AXIS_HEIGHT - 0.5);
    context.stroke();
    const { base, labels } = axis.ticks(this.plotWidth);
    context.font = `11px ${FONT}`;
    context.fillStyle = theme.muted;
    context.textBaseline = "middle";
    context.textAlign = "right";
    context.fillText(base || "time", GUTTER - 9, AXIS_HEIGHT / 2);
    context.textAlign = "center";
    for (const { t, text } of labels) {
      const x = Math.round(this.x(t)) + 0.5;
      context.beginPath();
      context.moveTo(x, AXIS_HEIGHT - 5);
      context.lineTo(x, AXIS_HEIGHT);
      context.stroke();
      const half = context.measureText(text).width / 2;
      if (x >= GUTTER && x + half < this.width) context.fillText(text, Math.max(x, GUTTER - 2 + half), AXIS_HEIGHT / 2 - 1);
    }
  }
}
