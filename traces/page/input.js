// SPDX-License-Identifier: Apache-2.0
// Pointer and keyboard on the charts. The wheel zooms in time over the plot and scrolls over the names.

class Input {
  constructor(app, gantt, overlay) {
    this.app = app;
    this.gantt = gantt;
    this.overlay = overlay;
    this.drag = null;
    const area = gantt.scroller;
    area.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
    area.addEventListener("pointerdown", (e) => this.down(e));
    area.addEventListener("pointermove", (e) => this.move(e));
    area.addEventListener("pointerup", (e) => this.up(e));
    area.addEventListener("pointercancel", () => this.cancel());
    area.addEventListener("pointerleave", () => this.leave());
    area.addEventListener("dblclick", (e) => this.doubleClick(e));
    area.addEventListener("keydown", (e) => this.key(e));
    area.addEventListener("scroll", () => app.invalidate("chart"));
    window.addEventListener("scroll", () => app.details.hideTooltip(), { passive: true });
  }

  point(event) {
    const box = this.gantt.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }
  timeAt(x) { return this.app.axis.time(x - GUTTER, this.gantt.plotWidth); }

  wheel(event) {
    const { x } = this.point(event);
    if (x < GUTTER && !event.ctrlKey) return;
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : 1;
    if (event.ctrlKey) {
      this.app.scaleLanes(2 ** (-event.deltaY * lines / 400));
    } else if (event.shiftKey) {
      this.gantt.scroller.scrollTop += (event.deltaY || event.deltaX) * lines;
    } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      this.app.axis.pan((event.deltaX * lines * this.app.axis.span) / this.gantt.plotWidth);
    } else {
      this.app.axis.zoom(2 ** Math.min(2, Math.max(-2, (event.deltaY * lines) / 250)), this.timeAt(x));
    }
    this.hoverAt(event);
  }

  down(event) {
    const { x, y } = this.point(event);
    if (event.button !== 0 || x >= this.gantt.width) return;
    this.gantt.scroller.setPointerCapture(event.pointerId);
    this.drag = { x, y, t0: this.app.axis.t0, scroll: this.gantt.scroll, moved: false, box: event.shiftKey };
  }

  move(event) {
    const { x, y } = this.point(event);
    const { drag, app } = this;
    if (!drag) {
      this.hoverAt(event);
      return;
    }
    if (!drag.moved && Math.hypot(x - drag.x, y - drag.y) < 4) return;
    drag.moved = true;
    app.details.hideTooltip();
    if (drag.box) {
      this.overlay.box = { x0: Math.max(GUTTER, drag.x), x1: Math.max(GUTTER, x) };
      app.invalidate("overlay");
      return;
    }
    this.gantt.scroller.classList.add("dragging");
    const t0 = drag.t0 - ((x - drag.x) / this.gantt.plotWidth) * app.axis.span;
    app.axis.set(t0, t0 + app.axis.span);
    this.gantt.scroller.scrollTop = drag.scroll - (y - drag.y);
  }

  up(event) {
    const { drag } = this;
    this.cancel();
    if (!drag) return;
    const { x, y } = this.point(event);
    if (drag.moved && drag.box) {
      const [a, b] = [Math.max(GUTTER, drag.x), Math.max(GUTTER, x)].sort((p, q) => p - q);
      if (b - a > 3) this.app.axis.set(this.timeAt(a), this.timeAt(b));
    } else if (!drag.moved) {
      const hit = this.gantt.hit(x, y);
      if (hit && hit.task !== NONE) this.app.select(hit.view, hit.task);
      else this.app.select(null);
    }
  }

  cancel() {
    this.drag = null;
    this.overlay.box = null;
    this.gantt.scroller.classList.remove("dragging");
    this.app.invalidate("overlay");
  }

  leave() {
    if (this.drag) return;
    this.overlay.hover = null;
    this.overlay.message = null;
    this.app.setCursor(null);
    this.app.details.hideTooltip();
  }

  doubleClick(event) {
    const { x, y } = this.point(event);
    const hit = this.gantt.hit(x, y);
    if (!hit) return;
    const { edges } = hit.unit;
    const length = edges[hit.span + 1] - edges[hit.span];
    this.app.axis.set(edges[hit.span] - 0.3 * length, edges[hit.span + 1] + 0.3 * length);
  }

  hoverAt(event) {
    const { x, y } = this.point(event);
    const hit = this.gantt.hit(x, y);
    this.overlay.hover = hit;
    // a task lies above the lines that cross it
    this.overlay.message = hit && hit.task !== NONE ? null : this.gantt.messages.at(x, y);
    this.app.setCursor(x >= GUTTER && x < this.gantt.width ? this.timeAt(x) : null);
    this.app.details.hover(event, x, y, hit, this.overlay.message);
  }

  key(event) {
    const { axis } = this.app;
    const centre = this.overlay.cursor ?? (axis.t0 + axis.t1) / 2;
    const step = event.shiftKey ? 0.5 : 0.1;
    const actions = {
      "+": () => axis.zoom(0.7, centre), "=": () => axis.zoom(0.7, centre), "-": () => axis.zoom(1 / 0.7, centre),
      ArrowLeft: () => axis.pan(-step * axis.span), ArrowRight: () => axis.pan(step * axis.span),
      ArrowUp: () => { this.gantt.scroller.scrollTop -= 3 * this.gantt.laneHeight; },
      ArrowDown: () => { this.gantt.scroller.scrollTop += 3 * this.gantt.laneHeight; },
      "0": () => axis.reset(), Escape: () => this.app.select(null),
      Home: () => axis.set(0, axis.span), End: () => axis.set(axis.whole - axis.span, axis.whole),
      n: () => this.app.selectBeside(1), p: () => this.app.selectBeside(-1),
      m: () => this.app.toggleMessages(),
      "[": () => this.app.scaleLanes(1 / 1.25), "]": () => this.app.scaleLanes(1.25),
    };
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  }
}
