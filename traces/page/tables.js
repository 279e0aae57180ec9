// SPDX-License-Identifier: Apache-2.0
// The numbers under the charts: summary, shares of time, links, codelets, iterations.

/** Columns: [{title, number}]; rows: [[{text, value, node, data}]]. A click on a title sorts by its values. */
function sortableTable(caption, columns, rows) {
  const body = element("tbody");
  let order = { column: -1, sign: 1 };
  const heads = columns.map((column, c) => element("th", { scope: "col", class: column.number ? "number" : null },
    element("button", { type: "button", onclick: () => sort(c) }, column.title)));
  const lines = rows.map((cells) => element("tr", {}, ...cells.map((cell, c) => element("td",
    { class: columns[c].number ? "number" : null, data: cell.data }, cell.node ?? cell.text))));
  const fill = (sorted) => body.replaceChildren(...sorted.map((i) => lines[i]));
  const sort = (c) => {
    order = { column: c, sign: order.column === c ? -order.sign : columns[c].number ? -1 : 1 };
    const value = (i) => rows[i][c].value ?? rows[i][c].text;
    const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
    fill(rows.map((_, i) => i).sort((i, j) => order.sign * compare(value(i), value(j)) || i - j));
    heads.forEach((head, k) => {
      if (k === c) head.setAttribute("aria-sort", order.sign > 0 ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
  };
  fill(rows.map((_, i) => i));
  return element("div", { class: "scroll-x" }, element("table", { class: "sortable" },
    element("caption", { class: "hidden" }, caption), element("thead", {}, element("tr", {}, ...heads)), body));
}

const cell = (text, value, data) => ({ text, value, data });

class Tables {
  constructor(app, area) {
    this.app = app;
    this.several = app.views.length > 1;
    const { views } = app;
    const part = (title, open, content) => content && area.append(element("details", { open, class: "card" },
      element("summary", {}, title), content));
    part("Summary", true, this.summary(views));
    part("Diagnosis", true, this.findings(views));
    part("Where the time went", true, this.shares(views));
    part("Codelets", true, this.codelets(views));
    part("Ranks", true, this.ranks(views));
    part("Messages between ranks", true, this.pairs(views));
    part("Transfers", true, this.links(views));
    part("Iterations", true, this.iterations(views));
  }

  viewColumn() { return this.several ? [{ title: "Recording" }] : []; }
  viewCell(view) { return this.several ? [cell(view.name)] : []; }

  summary(views) {
    const names = [...new Set(views.flatMap((v) => v.bounds.map((b) => b.name)))];
    const bound = (view, name) => view.bounds.find((b) => b.name === name);
    const quantities = [
      ["Makespan", "makespan", (v) => formatSeconds(v.metrics.makespan)],
      ["Tasks", "tasks", (v) => formatCount(v.metrics.tasks)],
      ["Units", "units", (v) => v.kinds.map((k, i) => [k, v.units.filter((u) => u.kind === i).length])
        .filter(([, n]) => n > 0).map(([k, n]) => `${n} ${k}`).join(", ")],
      ["Ranks", "ranks", (v) => `${v.ranks}`, views.some((v) => v.ranks > 1)],
      ["Work", "flops", (v) => (v.metrics.flops > 0 ? formatSI(v.metrics.flops, "flop") : "–"), views.some((v) => v.metrics.flops > 0)],
      ["Rate", "rate", (v) => formatRate(v.metrics.flops / v.metrics.makespan), views.some((v) => v.metrics.flops > 0)],
      ["Bytes moved", "bytes", (v) => formatBytes(v.metrics.bytes_moved)],
      ["Bytes sent between ranks", "bytes-sent", (v) => formatBytes(v.metrics.bytes_sent),
        views.some((v) => v.ranks > 1)],
      ["Computing", "computing", (v) => formatPercent(v.metrics.all[0])],
      ["Idle", "idle", (v) => formatPercent(v.metrics.all[4])],
      ["Critical path as it ran", "critical-path", (v) => (v.metrics.critical_path > 0
        ? `${formatSeconds(v.metrics.critical_path)} · ${formatPercent(v.metrics.critical_path / v.metrics.makespan)}` : "–"),
      views.some((v) => v.metrics.critical_path > 0)],
      ...names.map((name) => [`Bound: ${boundTitle(name)}`, `bound:${name}`, (v) => (bound(v, name)
        ? `${formatSeconds(bound(v, name).seconds)} · ${formatPercent(bound(v, name).seconds / v.makespan)}` : "–"), true,
      views.map((v) => bound(v, name)?.explanation).find(Boolean)]),
    ].filter(([, , , shown]) => shown !== false);
    const fastest = Math.min(...views.map((v) => v.metrics.makespan));
    const facts = [...new Set(views.flatMap((v) => v.facts.map((f) => f.name)))];
    const fact = (view, name) => view.facts.find((f) => f.name === name)?.text ?? "–";
    quantities.unshift(...facts.map((name) => [name, `fact:${name}`, (v) => fact(v, name)]));
    // one recording of each says less than the medians of a comparison
    if (this.several && facts.length === 0) {
      quantities.splice(1, 0, ["Against the fastest", "against-fastest", (v) => `${significant(v.metrics.makespan / fastest)} ×`]);
    }
    const head = this.several ? element("thead", {}, element("tr", {}, element("td"),
      ...views.map((v) => element("th", { scope: "col", class: "number" }, v.name)))) : null;
    return element("div", { class: "scroll-x" }, element("table", { id: "summary" }, head,
      element("tbody", {}, ...quantities.map(([title, key, text, , explanation]) => element("tr", { title: explanation },
        element("th", { scope: "row" }, title),
        ...views.map((v) => element("td", { class: "number", data: { view: v.index, quantity: key } }, text(v))))))));
  }

  /** What is odd, those that lose most first; a link moves the chart to where it shows. */
  findings(views) {
    const prose = (text) => ({ node: element("span", { class: "prose" }, text), value: text });
    const rows = views.flatMap((view) => view.findings.map((f, i) => {
      const show = () => {
        if (f.task !== null) this.app.jump(view, f.task);
        this.app.showInterval(f.begin, f.end);
      };
      const link = element("a", { href: intervalHash(f.begin, f.end), onclick: show, data: { finding: i } }, f.fault);
      return [...this.viewCell(view), { node: link, value: f.fault },
        cell(f.seconds > 0 ? formatSeconds(f.seconds) : "–", f.seconds), prose(f.what), prose(f.try)];
    }));
    if (rows.length === 0) return null;
    return sortableTable("What is odd, and what to try", [...this.viewColumn(), { title: "Fault" },
      { title: "Unit-seconds lost at most", number: true }, { title: "What" }, { title: "Try" }], rows);
  }

  bar(view, shares) {
    const { palette } = this.app;
    const parts = [];
    if (shares.codelet.length > 0) {
      shares.codelet.forEach((share, c) => parts.push([share, view.category[c], view.codelets[c].name]));
    }
    const known = parts.reduce((sum, [share]) => sum + share, 0);
    if (shares.state[0] - known > 1e-6) parts.push([shares.state[0] - known, view.noCodelet, "computing"]);
    parts.sort((a, b) => a[1] - b[1]);
    STATES.forEach((state, s) => s > 0 && parts.push([shares.state[s], palette.ofState(s), state]));
    return element("span", { class: "bar" }, ...parts.filter(([share]) => share > 0).map(([share, category, name]) =>
      element("span", { title: `${name} ${formatPercent(share)}`,
        style: { width: `${100 * share}%`, background: palette.text(category) } })));
  }

  shares(views) {
    const columns = [...this.viewColumn(), { title: "Unit" }, { title: "Kind" }, { title: "Shares" },
      ...STATES.map((s) => ({ title: s, number: true }))];
    const rows = [];
    const row = (view, name, kind, shares, data) => rows.push([...this.viewCell(view), cell(name), cell(kind),
      { node: this.bar(view, shares), value: shares.state[0] },
      ...shares.state.map((s, i) => cell(formatPercent(s), s, { ...data, view: view.index, state: STATES[i] }))]);
    for (const view of views) {
      view.kinds.forEach((kind, k) => {
        const n = view.units.filter((u) => u.kind === k).length;
        if (n > 0 && view.metrics.kind[k]) row(view, `all ${n} ${kind}`, kind, view.metrics.kind[k], { kind });
      });
    }
    for (const view of views) {
      for (const unit of view.units) row(view, unit.name, unit.kindName, unit.shares, { unit: unit.index });
    }
    return sortableTable("Shares of the makespan per kind of unit and per unit", columns, rows);
  }

  codelets(views) {
    const rows = views.flatMap((view) => view.metrics.codelets.map((use) => {
      const { name } = view.codelets[use.codelet];
      const time = (s) => cell(formatSeconds(s), s);
      return [...this.viewCell(view),
        { value: name, node: element("span", {}, this.app.details.swatch(view.category[use.codelet]), name) },
        cell(view.kinds[use.kind]), cell(formatCount(use.count), use.count), time(use.total), time(use.minimum),
        time(use.quartile1), time(use.median), time(use.quartile3), time(use.maximum), time(use.mean), time(use.deviation),
        cell(formatRate(use.rate), use.rate), cell(formatRate(use.best_rate), use.best_rate),
        cell(formatPercent(use.of_fastest), use.of_fastest)];
    }));
    if (rows.length === 0) return null;
    const numbers = ["Count", "Total", "Min", "1st quartile", "Median", "3rd quartile", "Max", "Mean", "Deviation", "Rate",
      "Best rate", "Of fastest kind"];
    return sortableTable("Durations of each codelet on each kind of unit",
      [...this.viewColumn(), { title: "Codelet" }, { title: "Kind" }, ...numbers.map((title) => ({ title, number: true }))], rows);
  }

  ranks(views) {
    const rows = views.flatMap((view) => view.metrics.rank.map((use, rank) => {
      const whole = use.units * view.makespan;
      const [work, waiting, scheduling, runtime, idle] = use.state.map((share) => share * whole);
      const time = (s, quantity) => cell(formatSeconds(s), s, { view: view.index, rank, quantity });
      const count = (n, quantity) => cell(formatCount(n), n, { view: view.index, rank, quantity });
      return [...this.viewCell(view), cell(`${rank}`, rank), count(use.units, "units"), count(use.tasks, "tasks"),
        { node: this.bar(view, use), value: use.state[0] }, time(work, "work"), time(scheduling + runtime, "overhead"),
        time(idle + waiting, "idle"), time(use.idle_for_messages, "idle-for-messages"),
        count(use.messages_sent, "messages-sent"), cell(formatBytes(use.bytes_sent), use.bytes_sent),
        count(use.messages_received, "messages-received"), cell(formatBytes(use.bytes_received), use.bytes_received)];
    }));
    if (rows.length === 0) return null;
    const number = (title) => ({ title, number: true });
    return sortableTable("Where the time of each rank's units went, and its messages", [...this.viewColumn(),
      ...["Rank", "Units", "Tasks"].map(number), { title: "Shares" }, ...["Work", "Overhead", "Idle",
        "Idle, message under way", "Sent", "Bytes sent", "Received", "Bytes received"].map(number)], rows);
  }

  pairs(views) {
    const rows = views.flatMap((view) => view.metrics.pairs.map((p) => [...this.viewCell(view),
      cell(`${p.from}`, p.from), cell(`${p.to}`, p.to), cell(formatCount(p.messages), p.messages, { view: view.index, pair: `${p.from} ${p.to}` }),
      cell(formatBytes(p.bytes), p.bytes), cell(formatSeconds(p.shortest), p.shortest),
      cell(formatSeconds(p.median), p.median), cell(formatSeconds(p.busy), p.busy),
      cell(formatSI(p.bandwidth, "B/s"), p.bandwidth)]));
    if (rows.length === 0) return null;
    return sortableTable("Messages from one rank to another", [...this.viewColumn(),
      ...["From rank", "To rank", "Messages", "Bytes", "Shortest", "Median time", "Busy", "Bandwidth while busy"].map(
        (title) => ({ title, number: true }))], rows);
  }

  links(views) {
    const rows = views.flatMap((view) => view.metrics.links.map((l) => [...this.viewCell(view), cell(view.nodes[l.from]),
      cell(view.nodes[l.to]), cell(formatCount(l.transfers), l.transfers), cell(formatBytes(l.bytes), l.bytes),
      cell(formatSeconds(l.busy), l.busy), cell(formatSI(l.bandwidth, "B/s"), l.bandwidth),
      cell(formatPercent(l.overlap), l.overlap)]));
    if (rows.length === 0) return null;
    return sortableTable("Use of each link between memories", [...this.viewColumn(), { title: "From" }, { title: "To" },
      ...["Transfers", "Bytes", "Busy", "Bandwidth while busy", "Overlapped by computing"].map(
        (title) => ({ title, number: true }))], rows);
  }

  iterations(views) {
    const shown = views.filter((v) => v.metrics.iterations.number.length > 0);
    if (shown.length === 0) return null;
    this.iterationCanvas = element("canvas", { role: "img", "aria-label": "Time of each iteration" });
    this.iterationViews = shown;
    const rows = shown.map((view) => {
      const i = view.metrics.iterations;
      const key = element("span", {}, element("span", { class: "swatch", style: { background: this.lineColour(view) } }), view.name);
      return [{ node: key, value: view.name }, cell(formatCount(i.number.length), i.number.length),
        ...[i.median, i.quartile1, i.quartile3].map((s) => cell(formatSeconds(s), s))];
    });
    return element("div", {}, this.iterationCanvas, sortableTable("Time per iteration", [{ title: "Recording" },
      ...["Iterations", "Median", "1st quartile", "3rd quartile"].map((title) => ({ title, number: true }))], rows));
  }
  lineColour(view) { return CODELET_COLOURS[[0, 2, 5, 9, 3, 8][view.index % 6]]; }

  draw() {
    if (!this.iterationCanvas) return;
    const width = Math.max(200, this.iterationCanvas.parentElement.clientWidth);
    const height = 110;
    const left = 74;
    const { theme } = this.app.palette;
    const context = fitCanvas(this.iterationCanvas, width, height);
    context.clearRect(0, 0, width, height);
    const series = this.iterationViews.map((v) => v.metrics.iterations);
    const numbers = series.flatMap((s) => s.number);
    const range = (list) => list.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [Infinity, -Infinity]);
    const [first, last] = range(numbers);
    const top = range(series.flatMap((s) => s.seconds))[1] * 1.08;
    const x = (n) => left + ((n - first + 0.5) / (last - first + 1)) * (width - left - 8);
    const y = (s) => 4 + (1 - s / top) * (height - 24);
    context.font = `11px ${FONT}`;
    context.fillStyle = theme.muted;
    context.strokeStyle = theme.line;
    context.lineWidth = 1;
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const share of [0, 0.5, 0.925]) {
      context.beginPath();
      context.moveTo(left, Math.round(y(share * top)) + 0.5);
      context.lineTo(width, Math.round(y(share * top)) + 0.5);
      context.stroke();
      context.fillText(formatSeconds(share * top, 3), left - 6, y(share * top));
    }
    context.textAlign = "left";
    context.fillText(`iteration ${first}`, left, height - 7);
    context.textAlign = "right";
    context.fillText(`${last}`, width - 8, height - 7);
    this.iterationViews.forEach((view, v) => {
      context.strokeStyle = this.lineColour(view);
      context.fillStyle = this.lineColour(view);
      context.lineWidth = 1.5;
      context.beginPath();
      series[v].number.forEach((n, i) => context.lineTo(x(n), y(series[v].seconds[i])));
      context.stroke();
      if (series[v].number.length < width / 8) {
        series[v].number.forEach((n, i) => context.fillRect(x(n) - 2, y(series[v].seconds[i]) - 2, 4, 4));
      }
    });
  }
}
