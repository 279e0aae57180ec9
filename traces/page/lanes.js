// SPDX-License-Identifier: Apache-2.0
// Draws the spans of units into pixels. Every pixel of every visible lane is written once per frame, directly: a canvas
// call per span would be a hundred times slower.

/** Which tasks stand out; the others are dimmed. Nothing stands out when no filter is set. */
class Emphasis {
  constructor(views) {
    this.views = views;
    this.codelets = new Set();  // names
    this.search = "";
    this.critical = false;
    this.matches = 0;
    this.update();
  }
  get active() { return this.codelets.size > 0 || this.search !== "" || this.critical; }

  update() {
    this.matches = 0;
    this.flags = this.views.map((view) => (this.active ? this.flagsOf(view) : null));
  }

  flagsOf(view) {
    const flags = new Uint8Array(view.taskCount).fill(1);
    if (this.critical) {
      flags.fill(0);
      for (const task of view.criticalPath) flags[task] = 1;
    }
    const wanted = this.search.toLowerCase();
    const matches = (text) => text.toLowerCase().includes(wanted);
    const all = (strings) => Uint8Array.from({ length: strings.length }, (_, i) => matches(strings.at(i)));
    const bySearch = wanted !== "";
    const codeletMatches = view.codelets.map((c) => bySearch && (matches(c.name) || matches(c.model)));
    const textMatches = bySearch ? all(view.text) : null;
    const handleMatches = bySearch ? all(view.handleName) : null;
    const chosen = view.codelets.map((c) => this.codelets.size === 0 || this.codelets.has(c.name));
    for (let i = 0; i < view.taskCount; ++i) {
      const codelet = view.task.codelet[i];
      if (codelet === NONE ? this.codelets.size > 0 && !this.codelets.has("(no codelet)") : !chosen[codelet]) flags[i] = 0;
      if (flags[i] && bySearch) {
        let found = codelet !== NONE && codeletMatches[codelet];
        const parameters = view.task.parameters[i];
        found ||= parameters !== NONE && textMatches[parameters] === 1;
        for (let k = view.accessOffset[i]; !found && k < view.accessOffset[i + 1]; ++k) {
          found = view.accessHandle[k] !== NONE && handleMatches[view.accessHandle[k]] === 1;
        }
        if (!found) flags[i] = 0;
      }
      if (flags[i] && view.executed(i)) ++this.matches;
    }
    return flags;
  }
}

/** Gives each span of each unit its category; again after every change of emphasis. */
function categorise(views, palette, emphasis) {
  views.forEach((view, v) => {
    const flags = emphasis.flags[v];
    for (const unit of view.units) {
      unit.category ??= new Uint16Array(unit.states.length);
      for (let i = 0; i < unit.states.length; ++i) {
        const task = unit.tasks[i];
        let category = unit.states[i] > 0 ? palette.ofState(unit.states[i])
          : task === NONE ? view.noCodelet : palette.ofTask(view, task);
        if (flags && (task === NONE || !flags[task])) category += palette.count;
        unit.category[i] = category;
      }
    }
  });
}

class LanePainter {
  constructor(palette) {
    this.palette = palette;
    this.share = new Float64Array(2 * palette.count);
    this.owed = new Float64Array(2 * palette.count);
    this.touched = new Uint16Array(2 * palette.count);  // the present column's categories, largest first
    this.touchedCount = 0;
    this.pieces = new Int32Array(1 << 16);  // of mixed columns: first pixel, end, colour
    this.pieceCount = 0;
  }

  resize(width, height) {
    if (this.image && this.image.width === width && this.image.height === height) return;
    this.image = new ImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }
  clear() { this.pixels.fill(this.palette.background); }

  /** One unit's lane in rows [y, y + height), for the times of `axis`. */
  paint(unit, axis, y, height) {
    const { image: { width, height: rows } } = this;
    const top = Math.max(0, y);
    const bottom = Math.min(rows, y + height);
    if (bottom <= top || unit.states.length === 0) return;
    const { edges, category } = unit;
    const { t0 } = axis;
    const scale = width / axis.span;
    const last = unit.states.length;
    this.owed.fill(0);
    let i = Math.max(0, upperBound(edges, t0) - 1);
    let to = (edges[i] - t0) * scale;
    for (; i < last; ++i) {
      const from = to > 0 ? to : 0;
      if (from >= width) break;
      to = (edges[i + 1] - t0) * scale;
      if (to > width) to = width;
      if (to <= from) continue;
      // | 0: integers of the machine, where Math.floor would leave doubles; this loop decides the time of a frame
      const first = from | 0;
      const end = to | 0;
      if (first === end) {
        this.add(category[i], to - from);
        continue;
      }
      this.add(category[i], first + 1 - from);
      this.flush(first, y, height, top, bottom);
      if (end > first + 1) this.fill(category[i], first + 1, end, top, unit.states[i] === 0);
      if (to > end) this.add(category[i], to - end);
    }
    if (this.touchedCount > 0) this.flush(Math.min(width - 1, to | 0), y, height, top, bottom);
    this.spread(top, bottom);
  }

  add(category, share) {
    if (this.share[category] === 0) {
      const { touched } = this;
      let at = this.touchedCount++;
      for (; at > 0 && touched[at - 1] < category; --at) touched[at] = touched[at - 1];
      touched[at] = category;
    }
    this.share[category] += share;
  }

  /** Only the lane's first row: spread() copies it to the others, which is faster than filling each. */
  fill(category, from, to, top, edged) {
    const { pixels, image: { width }, palette } = this;
    const start = top * width + from;
    const end = top * width + to;
    const colour = palette.pixel[category];
    if (to - from > 24) pixels.fill(colour, start, end);
    else for (let i = start; i < end; ++i) pixels[i] = colour;
    if (edged && to - from >= 4) pixels[start] = palette.edgePixel[category];
  }

  spread(top, bottom) {
    const { pixels, image: { width }, pieces } = this;
    for (let row = top + 1; row < bottom; ++row) pixels.copyWithin(row * width, top * width, (top + 1) * width);
    for (let k = 0; k < this.pieceCount; k += 3) {
      const end = pieces[k + 1];
      const colour = pieces[k + 2];
      for (let i = pieces[k]; i < end; i += width) pixels[i] = colour;
    }
    this.pieceCount = 0;
  }

  /**
   * A pixel column in which several spans lie shows all of them, stacked by their shares of its time: computing at the
   * bottom, idle at the top. Showing only the longest would hide idle time between short tasks, which is what one looks
   * for. What rounding to whole pixels takes from a category is owed to it in the next column, so that over a few
   * columns every area is right, however small the share.
   */
  flush(x, y, height, top, bottom) {
    const { pixels, image: { width }, palette: { pixel }, share, owed, touched, touchedCount: count } = this;
    if (count === 1) {
      pixels[top * width + x] = pixel[touched[0]];
      share[touched[0]] = 0;
      this.touchedCount = 0;
      return;
    }
    if (this.pieceCount + 3 * count > this.pieces.length) this.morePieces();
    const { pieces } = this;
    let sum = 0;
    for (let k = 0; k < count; ++k) sum += share[touched[k]];
    const rows = height / sum;
    let row = 0;
    for (let k = 0; k < count; ++k) {
      const category = touched[k];
      const wanted = share[category] * rows + owed[category];
      let next = k + 1 === count ? height : (row + wanted + 0.5) | 0;
      if (next > height) next = height;
      if (next < row) next = row;
      const left = wanted - (next - row);
      owed[category] = left > 1 ? 1 : left < -1 ? -1 : left;
      const at = this.pieceCount;
      pieces[at] = (y + row > top ? y + row : top) * width + x;
      pieces[at + 1] = (y + next < bottom ? y + next : bottom) * width + x;
      pieces[at + 2] = pixel[category];
      this.pieceCount = at + 3;
      row = next;
      share[category] = 0;
    }
    this.touchedCount = 0;
  }

  morePieces() {
    const more = new Int32Array(2 * this.pieces.length);
    more.set(this.pieces);
    this.pieces = more;
  }
}
