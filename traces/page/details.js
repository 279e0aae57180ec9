// SPDX-License-Identifier: Apache-2.0
// What is known about one task: the tooltip under the pointer and the panel of the selected task.

class Details {
  constructor(app, tooltip, panel) {
    this.app = app;
    this.tooltip = tooltip;
    this.panel = panel;
  }

  /** [[label, text, key]] of everything recorded about a task. */
  fields(view, task) {
    const t = view.task;
    const duration = (t.end[task] - t.start[task]) * 1e-9;
    const codelet = t.codelet[task] === NONE ? null : view.codelets[t.codelet[task]];
    const unit = t.unit[task] === NONE ? null : view.units[t.unit[task]];
    const fields = [
      ["codelet", view.codeletName(task), "codelet"],
      codelet?.model && codelet.model !== codelet.name ? ["model", codelet.model, "model"] : null,
      ["job", `${t.id[task]}`, "job"],
      view.ranks > 1 ? ["rank", `${t.rank[task]}`, "rank"] : null,
      unit ? ["unit", `${unit.name} (${unit.kindName})`, "unit"] : ["unit", "none executed it", "unit"],
      unit ? ["start", formatInstant(t.start[task]), "start"] : null,
      unit ? ["end", formatInstant(t.end[task]), "end"] : null,
      unit ? ["duration", formatSeconds(duration), "duration"] : null,
      Number.isFinite(t.submitted[task]) ? ["submitted", formatInstant(t.submitted[task]), "submitted"] : null,
      unit && Number.isFinite(t.submitted[task])
        ? ["waited", `${formatTime(t.start[task] - t.submitted[task])} since submission`, "waited"] : null,
      ["priority", `${t.priority[task]}`, "priority"],
      t.iteration[task] >= 0 ? ["iteration", `${t.iteration[task]}`, "iteration"] : null,
      ["footprint", t.footprint[task].toString(16).padStart(8, "0"), "footprint"],
      t.flops[task] > 0 ? ["work", formatSI(t.flops[task], "flop"), "flops"] : null,
      t.flops[task] > 0 && duration > 0 ? ["rate", formatRate(t.flops[task] / duration), "rate"] : null,
      t.parameters[task] !== NONE ? ["parameters", view.text.at(t.parameters[task]), "parameters"] : null,
    ];
    return fields.filter((f) => f !== null);
  }

  data(view, task, limit) {
    const lines = [];
    const first = view.accessOffset[task];
    const last = view.accessOffset[task + 1];
    for (let k = first; k < Math.min(last, first + limit); ++k) {
      const handle = view.accessHandle[k];
      const mode = MODES[view.accessMode[k]];
      if (handle === NONE) lines.push([mode, "?", ""]);
      else lines.push([mode, view.handleName.at(handle), view.handleBytes[handle] > 0 ? formatBytes(view.handleBytes[handle]) : ""]);
    }
    if (last - first > limit) lines.push(["", `and ${last - first - limit} more`, ""]);
    return lines;
  }

  list(fields, dependencies) {
    const list = element("dl", {});
    for (const [label, text, key] of [...fields, ...dependencies]) {
      list.append(element("dt", {}, label), element("dd", { data: { field: key } }, text));
    }
    return list;
  }

  dataTable(view, task, limit) {
    const lines = this.data(view, task, limit);
    if (lines.length === 0) return null;
    return element("table", { class: "data" },
      ...lines.map(([mode, name, size]) => element("tr", {},
        element("td", { class: "mode" }, mode), element("td", {}, name), element("td", { class: "number" }, size))));
  }

  hover(event, x, y, hit, message) {
    const content = message ? this.messageOf(message)
      : hit ? this.contentOf(hit) : this.lineAt(x, y) ?? this.nameAt(x, y);
    if (!content) {
      this.hideTooltip();
      return;
    }
    this.tooltip.replaceChildren(...content);
    this.tooltip.hidden = false;
    const { offsetWidth: w, offsetHeight: h } = this.tooltip;
    const left = event.clientX + 16 + w > window.innerWidth ? event.clientX - w - 12 : event.clientX + 16;
    const top = Math.min(window.innerHeight - h - 6, event.clientY + 14);
    this.tooltip.style.left = Math.max(4, left) + "px";
    this.tooltip.style.top = Math.max(4, top) + "px";
  }
  hideTooltip() { this.tooltip.hidden = true; }

  swatch(category) {
    return element("span", { class: "swatch", style: { background: this.app.palette.text(category) } });
  }

  contentOf({ view, unit, span, task }) {
    const { palette } = this.app;
    const state = unit.states[span];
    if (task === NONE) {
      const category = state === 0 ? view.noCodelet : palette.ofState(state);
      return [element("h3", {}, this.swatch(category), STATES[state]), this.list([
        ["unit", unit.name, "unit"], ["start", formatInstant(unit.edges[span]), "start"],
        ["duration", formatTime(unit.edges[span + 1] - unit.edges[span]), "duration"]], [])];
    }
    const counts = [];
    if (view.has_dependencies) {
      counts.push(["waited for", `${view.predecessorsOf(task).length} tasks`, "predecessors"],
        ["waited by", `${view.successorsOf(task).length} tasks`, "successors"]);
    }
    return [element("h3", {}, this.swatch(palette.ofTask(view, task)), view.codeletName(task)),
      this.list(this.fields(view, task).slice(1), counts), this.dataTable(view, task, 6)].filter(Boolean);
  }

  messageOf({ view, message }) {
    const { from, to } = view.message;
    return [element("h3", {}, `message ${from[message]} → ${to[message]}`),
      this.list(this.app.gantt.messages.fields(view, message).slice(2), [])];
  }

  lineAt(x, y) {
    for (const head of this.app.gantt.heads) {
      const hit = (head.hits ?? []).find((h) => y >= h.y0 && y <= h.y1 && x >= h.x0 && x <= h.x1)
        ?? (head.hits ?? []).find((h) => Math.abs(x - h.x) < 3 && y >= h.y0 && y <= h.bottom);
      if (hit) return [element("h3", {}, hit.line.label), element("p", {}, hit.line.explanation)];
    }
    return null;
  }

  nameAt(x, y) {
    const { gantt } = this.app;
    const lane = x < GUTTER ? gantt.laneAt(y) : undefined;
    if (!lane) return null;
    return [element("h3", {}, lane.unit.name), this.list(lane.unit.shares.state.map(
      (share, s) => [STATES[s], formatPercent(share), STATES[s]]), [])];
  }

  /** `of`: the rank of the task whose neighbour it is. */
  neighbourButton(view, { task, through }, of, mark) {
    return element("li", {}, element("button", {
      type: "button", data: { job: view.task.id[task] }, class: mark ? "released" : null,
      onclick: () => this.app.jump(view, task),
    }, this.swatch(this.app.palette.ofTask(view, task)),
      element("span", { class: "grow" }, `${view.codeletName(task)} `, element("small", {}, `job ${view.task.id[task]}`)),
      element("small", {}, view.units[view.task.unit[task]].name),
      mark ? element("em", {}, "released it") : null,
      through !== NONE ? element("small", { title: "through a node of the graph that no unit executed" },
        view.task.rank[task] !== of ? "via message" : "via barrier") : null));
  }

  show(selection) {
    this.panel.hidden = !selection;
    if (!selection) {
      this.panel.replaceChildren();
      return;
    }
    const { view, task, predecessors, successors, releasedBy } = selection;
    const close = element("button", { type: "button", class: "close", "aria-label": "Close", onclick: () => this.app.select(null) }, "×");
    const section = (title, id, list) => [
      element("h4", {}, `${title} (${formatCount(list.length)})`),
      element("ul", { id }, ...list.slice(0, 300).map((n) => this.neighbourButton(view, n, view.task.rank[task],
          id === "predecessors" && n.task === releasedBy)),
        list.length > 300 ? element("li", {}, `and ${formatCount(list.length - 300)} more`) : null)];
    const gap = releasedBy === NONE || view.task.start[task] < view.task.end[releasedBy] ? null
      : element("p", { class: "note" }, `Started ${formatTime(view.task.start[task] - view.task.end[releasedBy])} after it was released.`);
    this.panel.replaceChildren(...[
      element("header", {}, element("h3", {}, this.swatch(this.app.palette.ofTask(view, task)), view.codeletName(task)), close),
      this.app.views.length > 1 ? element("p", { class: "note" }, view.name) : null,
      this.list(this.fields(view, task).slice(1), []),
      this.dataTable(view, task, 100),
      ...(view.has_dependencies ? [...section("Waited for", "predecessors", predecessors), gap,
        ...section("Waited by", "successors", successors)] : [element("p", { class: "note" }, "No dependencies were recorded.")]),
    ].filter(Boolean));
  }
}
