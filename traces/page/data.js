// SPDX-License-Identifier: Apache-2.0
// Recordings as the page holds them: typed arrays, one entry per task, span or transfer. Times are nanoseconds since
// the recording's begin. The coding of the columns is described in columns.hpp.

const NONE = 0xffffffff;
const STATES = ["computing", "waiting for data", "scheduling", "runtime", "idle"];
const MODES = ["R", "W", "RW", "other"];

async function inflate(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Bitwise operators know 32 bits only; values reach 2^53, so that the upper part is summed in doubles.
function decodeVarints(bytes, column, out, missing) {
  const delta = column.type === "delta";
  let at = column.at;
  let previous = 0;
  for (let i = 0; i < column.count; ++i) {
    let byte = bytes[at++];
    let value = byte & 0x7f;
    for (let unit = 128; byte & 0x80; unit *= 128) {
      byte = bytes[at++];
      value += (byte & 0x7f) * unit;
    }
    if (value === 0) {
      out[i] = missing;
      continue;
    }
    --value;
    value = value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    if (delta) value += previous;
    previous = value;
    out[i] = value;
  }
  return out;
}

class Columns {
  constructor(bytes, description) {
    this.bytes = bytes;
    this.columns = new Map(description.map((c) => [c.name, c]));
  }
  count(name) { return this.columns.get(name).count; }
  times(name) { return decodeVarints(this.bytes, this.columns.get(name), new Float64Array(this.count(name)), NaN); }
  indices(name) { return decodeVarints(this.bytes, this.columns.get(name), new Uint32Array(this.count(name)), NONE); }
  signed(name) { return decodeVarints(this.bytes, this.columns.get(name), new Int32Array(this.count(name)), 0); }
  raw(name) {
    const c = this.columns.get(name);
    return this.bytes.slice(c.at, c.at + c.bytes);
  }
  doubles(name) { return new Float64Array(this.raw(name).buffer); }
  /** Where each list starts, from the lists' lengths. */
  offsets(name) {
    const counts = this.indices(name);
    const offset = new Uint32Array(counts.length + 1);
    for (let i = 0; i < counts.length; ++i) offset[i + 1] = offset[i] + counts[i];
    return offset;
  }
  strings(name) { return new Strings(this.offsets(name + ".length"), this.raw(name + ".text")); }
}

/** Many short texts, decoded when asked for. */
class Strings {
  constructor(offset, bytes) {
    this.offset = offset;
    this.bytes = bytes;
    this.decoder = new TextDecoder();
  }
  get length() { return this.offset.length - 1; }
  at(i) { return this.decoder.decode(this.bytes.subarray(this.offset[i], this.offset[i + 1])); }
}

class View {
  constructor(index, header, bytes) {
    Object.assign(this, header);
    const c = new Columns(bytes, header.columns);
    delete this.columns;
    this.index = index;
    this.makespanNs = header.makespan * 1e9;
    this.task = {
      id: c.times("task.id"), submitted: c.times("task.submitted"), start: c.times("task.start"),
      end: c.times("task.length"), unit: c.indices("task.unit"), codelet: c.indices("task.codelet"),
      rank: c.indices("task.rank"), footprint: c.indices("task.footprint"), parameters: c.indices("task.parameters"),
      priority: c.signed("task.priority"), iteration: c.signed("task.iteration"), flops: c.doubles("task.flops"),
    };
    this.taskCount = this.task.id.length;
    for (let i = 0; i < this.taskCount; ++i) this.task.end[i] += this.task.start[i];
    this.predecessorOffset = c.offsets("dependency.count");
    this.predecessor = c.times("dependency.back");
    this.accessOffset = c.offsets("access.count");
    this.accessHandle = c.indices("access.handle");
    this.accessMode = c.raw("access.mode");
    this.handleName = c.strings("handle.name");
    this.handleBytes = c.times("handle.bytes");
    this.text = c.strings("text");
    this.transfer = {
      start: c.times("transfer.start"), end: c.times("transfer.length"), bytes: c.times("transfer.bytes"),
      from: c.indices("transfer.from"), to: c.indices("transfer.to"),
    };
    for (let i = 0; i < this.transfer.start.length; ++i) this.transfer.end[i] += this.transfer.start[i];
    this.message = {
      start: c.times("message.start"), end: c.times("message.length"), bytes: c.times("message.bytes"),
      from: c.indices("message.from"), to: c.indices("message.to"), tag: c.times("message.tag"),
      handle: c.indices("message.handle"),
    };
    for (let i = 0; i < this.message.start.length; ++i) this.message.end[i] += this.message.start[i];
    this.curves = ["ready", "submitted"].map(
      (name) => ({ name, time: c.times(name + ".time"), value: c.doubles(name + ".value") }));
    this.criticalPath = c.indices("critical.task");
    this.readDependencies();
    this.readSpans(c);
  }

  readDependencies() {
    const pred = new Uint32Array(this.predecessor.length);
    for (let i = 0; i < this.taskCount; ++i) {
      for (let k = this.predecessorOffset[i]; k < this.predecessorOffset[i + 1]; ++k) pred[k] = i - this.predecessor[k];
    }
    this.predecessor = pred;
  }

  readSpans(c) {
    const offset = c.offsets("span.count");
    const first = c.times("span.first");
    const length = c.times("span.length");
    const state = c.raw("span.state");
    const tasks = c.indices("span.task");
    let computing = 0;
    this.units.forEach((unit, u) => {
      const n = offset[u + 1] - offset[u];
      unit.index = u;
      unit.kindName = this.kinds[unit.kind];
      unit.shares = this.metrics.unit[u];
      unit.edges = new Float64Array(n + 1);
      unit.states = state.subarray(offset[u], offset[u + 1]);
      unit.tasks = new Uint32Array(n).fill(NONE);
      unit.edges[0] = n > 0 ? first[u] : 0;
      for (let i = 0; i < n; ++i) {
        unit.edges[i + 1] = unit.edges[i] + length[offset[u] + i];
        if (unit.states[i] === 0) unit.tasks[i] = tasks[computing++];
      }
    });
  }

  codeletName(task) {
    const codelet = this.task.codelet[task];
    return codelet === NONE ? "(no codelet)" : this.codelets[codelet].name;
  }
  executed(task) { return this.task.unit[task] !== NONE; }

  /** Tasks after each task: the dependencies turned round, made at the first question. */
  successorsOf(task) {
    if (!this.successorOffset) {
      const offset = new Uint32Array(this.taskCount + 1);
      for (const p of this.predecessor) ++offset[p + 1];
      for (let i = 0; i < this.taskCount; ++i) offset[i + 1] += offset[i];
      const fill = offset.slice(0, -1);
      const successor = new Uint32Array(this.predecessor.length);
      for (let i = 0; i < this.taskCount; ++i) {
        for (let k = this.predecessorOffset[i]; k < this.predecessorOffset[i + 1]; ++k) {
          successor[fill[this.predecessor[k]]++] = i;
        }
      }
      this.successorOffset = offset;
      this.successor = successor;
    }
    return this.successor.subarray(this.successorOffset[task], this.successorOffset[task + 1]);
  }
  predecessorsOf(task) {
    return this.predecessor.subarray(this.predecessorOffset[task], this.predecessorOffset[task + 1]);
  }

  /**
   * The executed tasks next to `task`, looking through nodes of the graph that no unit executed (barriers):
   * [{task, through}], through: the first such node, or NONE.
   */
  executedNeighbours(task, next) {
    const found = new Map();
    const seen = new Set();
    const stack = [...next(task)].map((t) => [t, NONE]);
    while (stack.length > 0) {
      const [t, through] = stack.pop();
      if (this.executed(t)) {
        if (!found.has(t) || through === NONE) found.set(t, through);
      } else if (!seen.has(t)) {
        seen.add(t);
        for (const further of next(t)) stack.push([further, through === NONE ? t : through]);
      }
    }
    return [...found].map(([t, through]) => ({ task: t, through }));
  }

  /** {predecessors, successors, releasedBy}: sorted by time; releasedBy is the predecessor that ended last. */
  dependencies(task) {
    const predecessors = this.executedNeighbours(task, (t) => this.predecessorsOf(t));
    const successors = this.executedNeighbours(task, (t) => this.successorsOf(t));
    predecessors.sort((a, b) => this.task.end[b.task] - this.task.end[a.task]);
    successors.sort((a, b) => this.task.start[a.task] - this.task.start[b.task]);
    return { predecessors, successors, releasedBy: predecessors.length > 0 ? predecessors[0].task : NONE };
  }
}

/** The first i with sorted[i] > value. */
function upperBound(sorted, value, count = sorted.length) {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

async function readViews() {
  const header = JSON.parse(document.getElementById("header").textContent);
  const views = [];
  for (const [i, view] of header.views.entries()) {
    const element = document.getElementById("view-" + i);
    const bytes = await inflate(element.textContent);
    element.remove();  // as large as all the rest
    views.push(new View(i, view, bytes));
  }
  return { title: header.title, views };
}
