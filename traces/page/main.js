// SPDX-License-Identifier: Apache-2.0
// Puts the page together. Nothing is drawn except in a frame that something changed: see invalidate().

class App {
  constructor({ title, views }) {
    const get = (id) => document.getElementById(id);
    this.title = title;
    document.querySelector("h1").textContent = title;
    this.views = views;
    this.palette = new Palette(views);
    this.emphasis = new Emphasis(views);
    categorise(views, this.palette, this.emphasis);
    this.axis = new TimeAxis(Math.max(1, ...views.map((v) => v.makespanNs)));
    this.selection = null;
    this.frames = 0;
    this.lastFrameMs = 0;
    this.stale = new Set();
    this.gantt = new Gantt(this, get("scroller"));
    this.overlay = new Overlay(this, this.gantt, get("overlay"));
    this.details = new Details(this, get("tooltip"), get("selected"));
    this.panels = new Panels(this, get("panels"));
    this.tables = new Tables(this, get("tables"));
    this.input = new Input(this, this.gantt, this.overlay);
    this.axis.listeners.push(() => this.invalidate("chart", "panels"));
    this.makeLegend(get("legend"));
    this.makeButtons(get);
    this.makeNotes(get("notes"));
    new ResizeObserver(() => this.resized()).observe(this.gantt.scroller.parentElement);
    window.addEventListener("resize", () => this.resized());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.palette.readTheme();
      this.resized();
    });
    this.resized();
    const followAddress = () => {
      const interval = readIntervalHash(location.hash);
      if (interval) this.showInterval(interval.begin, interval.end);
    };
    window.addEventListener("hashchange", followAddress);
    followAddress();
  }

  /** Moves the chart to [begin, end] seconds, with as much again around it. */
  showInterval(begin, end) {
    const room = Math.max((end - begin) / 2, 500e-9);
    this.axis.set((begin - room) * 1e9, (end + room) * 1e9);
  }

  invalidate(...parts) {
    if (this.stale.size === 0) requestAnimationFrame(() => this.frame());
    for (const part of parts) this.stale.add(part);
    if (this.stale.has("chart")) this.stale.add("overlay");
  }
  resized() {
    this.gantt.layout();
    this.invalidate("chart", "panels", "tables");
  }
  frame() {
    const begin = performance.now();
    const stale = this.stale;
    this.stale = new Set();
    if (stale.has("chart")) this.gantt.draw();
    if (stale.has("overlay")) this.overlay.draw();
    if (stale.has("panels")) this.panels.draw();
    if (stale.has("panels") || stale.has("cursor")) this.panels.show();
    if (stale.has("tables")) this.tables.draw();
    if (stale.has("chart")) {
      this.lastFrameMs = performance.now() - begin;
      ++this.frames;
    }
  }

  setCursor(time) {
    this.overlay.cursor = time;
    this.invalidate("overlay", "cursor");
  }
  scaleLanes(factor) {
    this.gantt.laneScale = Math.min(6, Math.max(0.3, this.gantt.laneScale * factor));
    this.resized();
  }
  toggleMessages() {
    const { messages } = this.gantt;
    messages.shown = !messages.shown;
    this.overlay.message = null;
    document.getElementById("messages").setAttribute("aria-pressed", String(messages.shown));
    this.invalidate("chart");
  }
  emphasise() {
    this.emphasis.update();
    categorise(this.views, this.palette, this.emphasis);
    const found = document.getElementById("found");
    found.textContent = this.emphasis.search ? `${formatCount(this.emphasis.matches)} tasks` : "";
    this.invalidate("chart");
  }

  select(view, task) {
    this.selection = view ? { view, task, ...view.dependencies(task) } : null;
    this.details.show(this.selection);
    this.invalidate("overlay");
  }
  /** Selects a task and moves the chart so that it is in sight. */
  jump(view, task) {
    this.select(view, task);
    this.axis.reveal(view.task.start[task], view.task.end[task]);
    const lane = this.gantt.laneOf(view, view.task.unit[task]);
    const { scroller } = this.gantt;
    const room = scroller.clientHeight - AXIS_HEIGHT - lane.height;
    if (lane.y < scroller.scrollTop || lane.y > scroller.scrollTop + room) scroller.scrollTop = lane.y - room / 2;
  }

  /** The next (1) or previous (-1) task of the selected task's unit; without a selection, the first in sight. */
  selectBeside(step) {
    const view = this.selection?.view ?? this.views[0];
    const unit = view.units[this.selection ? view.task.unit[this.selection.task] : 0];
    const time = this.selection ? view.task.start[this.selection.task] : this.axis.t0;
    let span = upperBound(unit.edges, time) - 1;
    if (this.selection || span < 0) span += step;
    while (span >= 0 && span < unit.tasks.length && unit.tasks[span] === NONE) span += step;
    if (span >= 0 && span < unit.tasks.length) this.jump(view, unit.tasks[span]);
  }

  makeLegend(area) {
    this.palette.names.forEach((name, i) => {
      if (!this.palette.ran.has(name)) return;  // a barrier's, say
      const button = element("button", { type: "button", "aria-pressed": "false", title: `Show only ${name}` },
        this.details.swatch(i), name);
      button.addEventListener("click", () => {
        const chosen = this.emphasis.codelets;
        if (!chosen.delete(name)) chosen.add(name);
        button.setAttribute("aria-pressed", String(chosen.has(name)));
        area.classList.toggle("filtered", chosen.size > 0);
        this.emphasise();
      });
      area.append(button);
    });
    STATES.forEach((state, s) => {
      if (s > 0) area.append(element("span", { class: "state" }, this.details.swatch(this.palette.ofState(s)), state));
    });
  }

  /** What the recordings lack, so that nobody takes it for a property of the schedule. */
  makeNotes(area) {
    const named = (views) => (views.length === this.views.length ? "" : ` in ${views.map((v) => v.name).join(", ")}`);
    const stateless = this.views.filter((v) => !v.has_states);
    const loose = this.views.filter((v) => !v.has_dependencies);
    if (stateless.length > 0) area.append(element("p", {}, `Only tasks were recorded${named(stateless)}: all other time is shown as idle.`));
    for (const view of this.views.filter((v) => v.ranks > 1)) {
      const { alignment, error, early, lost } = view.clocks;
      const known = error === null ? "" : ` within ${formatSeconds(error)}`;
      const how = alignment === "barriers" ? `at two barriers${known}` : `by their messages${known}`;
      const text = alignment === "contradictory"
        ? `The ranks' clocks are wrong by up to ${formatSeconds(error)}: ${formatCount(early)} messages arrive before `
          + "they were sent"
        : `The ranks' clocks are aligned ${how}`;
      area.append(element("p", {}, `${text}${named([view])}.`));
      const without = `${formatCount(lost)} messages were sent of which no arrival was recorded.`;
      if (lost > 0) area.append(element("p", {}, without));
    }
    if (loose.length > 0) area.append(element("p", {}, `No dependencies were recorded${named(loose)}.`));
  }

  makeButtons(get) {
    get("whole").addEventListener("click", () => this.axis.reset());
    get("zoom-in").addEventListener("click", () => this.axis.zoom(0.5, (this.axis.t0 + this.axis.t1) / 2));
    get("zoom-out").addEventListener("click", () => this.axis.zoom(2, (this.axis.t0 + this.axis.t1) / 2));
    get("save").addEventListener("click", () => this.savePicture());
    const messages = get("messages");
    messages.hidden = !this.gantt.messages.any;
    get("message-help").hidden = messages.hidden;
    messages.addEventListener("click", () => this.toggleMessages());
    const curves = get("curves");
    curves.hidden = !this.panels.several || this.panels.rows.length === 0;
    curves.addEventListener("click", () => {
      this.panels.fold(!this.panels.folded);
      curves.setAttribute("aria-pressed", String(!this.panels.folded));
    });
    const critical = get("critical");
    critical.disabled = this.views.every((v) => v.criticalPath.length === 0);
    if (critical.disabled) critical.title = "No dependencies were recorded";
    critical.addEventListener("click", () => {
      this.emphasis.critical = !this.emphasis.critical;
      critical.setAttribute("aria-pressed", String(this.emphasis.critical));
      this.emphasise();
    });
    let pending = 0;
    get("search").addEventListener("input", (e) => {
      clearTimeout(pending);
      pending = setTimeout(() => {
        this.emphasis.search = e.target.value.trim();
        this.emphasise();
      }, 150);
    });
  }

  /** The visible chart with what lies on top of it, and the panels below. */
  savePicture() {
    const parts = [this.gantt.canvas, ...(this.panels.visible ? [this.panels.canvas] : [])];
    const picture = document.createElement("canvas");
    picture.width = Math.max(...parts.map((p) => p.width));
    picture.height = parts.reduce((sum, p) => sum + p.height, 0);
    const context = picture.getContext("2d");
    context.fillStyle = this.palette.theme.panel;
    context.fillRect(0, 0, picture.width, picture.height);
    let y = 0;
    for (const part of parts) {
      context.drawImage(part, 0, y);
      if (part === this.gantt.canvas) context.drawImage(this.overlay.canvas, 0, 0);
      y += part.height;
    }
    picture.toBlob((blob) => {
      const url = URL.createObjectURL(blob);
      element("a", { href: url, download: `${this.title.replace(/[^\w.-]+/g, "-") || "schedule"}.png` }).click();
      setTimeout(() => URL.revokeObjectURL(url), 10000);
    });
  }
}

/** For tests and for the browser's console. */
function expose(app) {
  return {
    ready: true,
    app,
    views: app.views,
    get view() { return { t0: app.axis.t0 * 1e-9, t1: app.axis.t1 * 1e-9 }; },
    get selection() { return app.selection; },
    get frames() { return app.frames; },
    get lastFrameMs() { return app.lastFrameMs; },
    /** seconds */
    zoomTo: (t0, t1) => app.axis.set(t0 * 1e9, t1 * 1e9),
    /** page coordinates -> {view, unit, task, state}, or null */
    hit: (x, y) => {
      const box = app.gantt.canvas.getBoundingClientRect();
      const hit = app.gantt.hit(x - box.left, y - box.top);
      return hit && { view: hit.view.index, unit: hit.unit.index, task: hit.task === NONE ? null : hit.task,
        state: STATES[hit.unit.states[hit.span]] };
    },
    /** The middle of a task in page coordinates. */
    locate: (view, task) => {
      const box = app.gantt.canvas.getBoundingClientRect();
      const r = app.gantt.rectangle(app.views[view], task);
      return { x: box.left + (r.x0 + r.x1) / 2, y: box.top + r.y + r.height / 2 };
    },
    get lines() { return app.gantt.messages.drawn; },
    /** Where a message is drawn, share of its way from the sender, in page coordinates. */
    locateMessage: (view, message, share) => {
      const box = app.gantt.canvas.getBoundingClientRect();
      const { x0, y0, x1, y1 } = app.gantt.messages.ends(app.views[view], message);
      return { x: box.left + x0 + share * (x1 - x0), y: box.top + y0 + share * (y1 - y0) };
    },
    select: (view, task) => app.jump(app.views[view], task),
  };
}

async function start() {
  const status = document.getElementById("status");
  if (!("DecompressionStream" in window)) {
    status.textContent = "This browser is too old for this page: it cannot decompress (Chrome 80, Firefox 113, Safari 16.4 can).";
    return;
  }
  try {
    window.asterism = expose(new App(await readViews()));
    status.remove();
  } catch (error) {
    status.textContent = `This report cannot be shown: ${error.message}`;
    throw error;
  }
}

await start();
