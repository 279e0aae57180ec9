// SPDX-License-Identifier: Apache-2.0
// What lies on top of the chart and changes with the pointer: hovered and selected tasks, dependencies, critical path,
// markers of the program, the box of a zoom. Drawn on a canvas of its own, so that hovering never repaints the lanes.

class Overlay {
  constructor(app, gantt, canvas) {
    this.app = app;
    this.gantt = gantt;
    this.canvas = canvas;
    this.hover = null;  // a hit of the Gantt chart
    this.message = null;  // {view, message} under the pointer
    this.cursor = null;  // ns, shared with the panels
    this.box = null;  // {x0, x1} during shift-drag
  }

  draw() {
    const { gantt, app } = this;
    const context = fitCanvas(this.canvas, gantt.width, gantt.height);
    context.clearRect(0, 0, gantt.width, gantt.height);
    context.save();
    context.beginPath();
    context.rect(GUTTER, AXIS_HEIGHT, gantt.plotWidth, gantt.height - AXIS_HEIGHT);
    context.clip();
    if (app.emphasis.critical) app.views.forEach((view) => this.drawCriticalPath(context, view));
    if (app.selection) this.drawSelection(context);
    if (this.hover && this.hover.task !== NONE) this.outline(context, this.hover.view, this.hover.task, 1.5);
    if (this.message) this.gantt.messages.emphasise(context, this.message);
    if (this.box) this.drawBox(context);
    context.restore();
    if (this.cursor !== null && !this.box) this.drawCursor(context);
  }

  outline(context, view, task, width) {
    const r = this.gantt.rectangle(view, task);
    if (!r) return;
    const { theme } = this.app.palette;
    const w = Math.max(3, r.x1 - r.x0);
    context.lineWidth = width + 2;
    context.strokeStyle = theme.panel;
    context.strokeRect(r.x0, r.y, w, r.height - 1);
    context.lineWidth = width;
    context.strokeStyle = theme.text;
    context.strokeRect(r.x0, r.y, w, r.height - 1);
  }

  /** From the end of a task to the start of one that waited for it. */
  arrow(context, view, from, to, width, dash) {
    const a = this.gantt.rectangle(view, from);
    const b = this.gantt.rectangle(view, to);
    if (!a || !b) return;
    const y0 = a.y + a.height / 2;
    const y1 = b.y + b.height / 2;
    const bend = Math.min(60, Math.max(12, Math.abs(b.x0 - a.x1) / 2));
    const { theme } = this.app.palette;
    const path = new Path2D();
    path.moveTo(a.x1, y0);
    path.bezierCurveTo(a.x1 + bend, y0, b.x0 - bend, y1, b.x0 - 5, y1);
    const head = new Path2D();
    head.moveTo(b.x0 + 1, y1);
    head.lineTo(b.x0 - 7, y1 - 4);
    head.lineTo(b.x0 - 7, y1 + 4);
    head.closePath();
    context.setLineDash([]);
    context.strokeStyle = theme.panel;
    context.lineWidth = width + 2.5;
    context.stroke(path);
    context.setLineDash(dash);
    context.strokeStyle = theme.text;
    context.fillStyle = theme.text;
    context.lineWidth = width;
    context.stroke(path);
    context.setLineDash([]);
    context.fill(head);
  }

  drawSelection(context) {
    const { view, task, predecessors, successors, releasedBy } = this.app.selection;
    // hundreds of arrows say no more than the list beside
    for (const s of successors.slice(0, 200)) this.arrow(context, view, task, s.task, 1, [2, 3]);
    for (const p of predecessors.slice(0, 200)) {
      this.arrow(context, view, p.task, task, p.task === releasedBy ? 3 : 1.2, []);
    }
    if (releasedBy !== NONE) this.outline(context, view, releasedBy, 1.5);
    this.outline(context, view, task, 2.5);
  }

  drawCriticalPath(context, view) {
    const { gantt, app: { axis, palette: { theme } } } = this;
    const path = view.criticalPath;
    let first = 0;
    while (first < path.length && view.task.end[path[first]] < axis.t0) ++first;
    const line = new Path2D();
    let before = Math.max(0, first - 1);
    for (let i = before; i < path.length; ++i) {
      const r = gantt.rectangle(view, path[i]);
      const y = r.y + r.height / 2;
      if (i === before) line.moveTo(r.x0, y);
      else line.lineTo(r.x0, y);
      line.lineTo(r.x1, y);
      if (view.task.start[path[i]] > axis.t1) break;
    }
    context.lineJoin = "round";
    context.strokeStyle = theme.panel;
    context.lineWidth = 4;
    context.stroke(line);
    context.strokeStyle = theme.text;
    context.lineWidth = 1.5;
    context.stroke(line);
  }

  drawBox(context) {
    const { gantt, app: { palette: { theme }, axis } } = this;
    const x0 = Math.min(this.box.x0, this.box.x1);
    const x1 = Math.max(this.box.x0, this.box.x1);
    context.fillStyle = theme.accent + "30";
    context.fillRect(x0, AXIS_HEIGHT, x1 - x0, gantt.height);
    context.strokeStyle = theme.accent;
    context.strokeRect(x0 + 0.5, AXIS_HEIGHT - 2, x1 - x0, gantt.height);
    const text = formatTime(((x1 - x0) / gantt.plotWidth) * axis.span);
    this.label(context, text, (x0 + x1) / 2, AXIS_HEIGHT + 14);
  }

  drawCursor(context) {
    const { gantt, app: { palette: { theme }, axis } } = this;
    const x = Math.round(gantt.x(this.cursor)) + 0.5;
    if (x < GUTTER || x > gantt.width) return;
    context.strokeStyle = theme.muted;
    context.lineWidth = 1;
    context.globalAlpha = 0.6;
    context.beginPath();
    context.moveTo(x, AXIS_HEIGHT);
    context.lineTo(x, gantt.height);
    context.stroke();
    context.globalAlpha = 1;
    this.label(context, formatInstant(this.cursor, axis.span / gantt.plotWidth), x, AXIS_HEIGHT / 2);
  }

  label(context, text, x, y) {
    const { gantt, app: { palette: { theme } } } = this;
    context.font = `11px ${FONT}`;
    const width = context.measureText(text).width + 10;
    const left = Math.min(gantt.width - width - 1, Math.max(GUTTER, x - width / 2));
    context.fillStyle = theme.text;
    context.beginPath();
    context.roundRect(left, y - 9, width, 18, 3);
    context.fill();
    context.fillStyle = theme.panel;
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.fillText(text, left + 5, y + 0.5);
  }
}
