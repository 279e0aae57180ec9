// SPDX-License-Identifier: Apache-2.0
// Opens a report in headless Chromium as a user would: node page_in_browser.mjs PAGE.html EXPECTED.json PICTURE.png
// [CHROMIUM]. One line per check; exit status 0 when all hold.
import {mkdtempSync, readdirSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';

import {Browser, sleep} from './browser.mjs';

const [pagePath, expectedPath, picturePath, chromium = 'chromium'] = process.argv.slice(2);
const expected = JSON.parse(readFileSync(expectedPath, 'utf8'));

let failures = 0;
function check(what, holds, detail = '') {
  if (!holds) ++failures;
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${what}${detail === '' ? '' : `: ${detail}`}`);
}
const PREFIX = {
  P: 1e15,
  T: 1e12,
  G: 1e9,
  M: 1e6,
  k: 1e3,
  m: 1e-3,
  'µ': 1e-6,
  n: 1e-9
};
/** "12.34 ms · 97 %" -> 0.01234 */
function number(text) {
  const [, digits, prefix] = /^([\d.\u202f]+)\s*([PTGMkmµn]?)/.exec(text.trim());
  return Number(digits.replaceAll('\u202f', '')) * (PREFIX[prefix] ?? 1);
}
const close = (a, b) => Math.abs(a - b) <= 6e-4 * Math.abs(b);

async function checkNumbers(browser) {
  const shown = await browser.evaluate(`[...document.querySelectorAll("#tables td")].filter((c) => c.dataset.view)
    .map((c) => ({ ...c.dataset, text: c.textContent }))`);
  for (const [v, view] of expected.views.entries()) {
    const quantity = (name) => shown.find((c) => c.view === String(v) && c.quantity === name)?.text ?? 'nothing';
    check(`${view.name}: makespan`, close(number(quantity('makespan')), view.makespan), quantity('makespan'));
    check(`${view.name}: tasks`, number(quantity('tasks')) === view.tasks, quantity('tasks'));
    check(
        `${view.name}: critical path`,
        view.critical_path === 0 || close(number(quantity('critical-path')), view.critical_path),
        quantity('critical-path'));
    for (const bound of view.bounds) {
      const text = quantity(`bound:${bound.name}`);
      const ratio = `${((100 * bound.seconds) / view.makespan).toFixed(1)} %`;
      check(`${view.name}: bound ${bound.name}`, close(number(text), bound.seconds) && text.endsWith(ratio), text);
    }
    const wrong = view.units.flatMap((unit, u) => {
      const texts = shown.filter((c) => c.view === String(v) && c.unit === String(u)).map((c) => c.text);
      const right = unit.shares.map((s) => `${(100 * s).toFixed(1)} %`);
      return JSON.stringify(texts) === JSON.stringify(right) ? [] : [`${unit.name}: ${texts} instead of ${right}`];
    });
    check(`${view.name}: shares of ${view.units.length} units`, wrong.length === 0, wrong[0] ?? '');
  }
}

async function checkZoom(browser, area) {
  const x = area.x + 600;
  const y = area.y + area.height / 2;
  const timeAtCursor = (v) => v.t0 + ((x - area.plot) / area.plotWidth) * (v.t1 - v.t0);
  const view = () => browser.evaluate('asterism.view');
  const before = await view();
  await browser.mouse('mouseMoved', x, y);
  for (let i = 0; i < 4; ++i) await browser.mouse('mouseWheel', x, y, {deltaX: 0, deltaY: -120});
  await browser.settle();
  const zoomed = await view();
  check('the wheel zooms in', zoomed.t1 - zoomed.t0 < 0.5 * (before.t1 - before.t0));
  check('around the cursor', Math.abs(timeAtCursor(before) - timeAtCursor(zoomed)) < 1e-6 * (before.t1 - before.t0));
  await browser.drag(x, y, x - 100, y);
  await browser.settle();
  const panned = await view();
  const moved = ((panned.t0 - zoomed.t0) / (zoomed.t1 - zoomed.t0)) * area.plotWidth;
  check('dragging moves', Math.abs(moved - 100) < 1, `${moved.toFixed(1)} px`);
  await browser.drag(area.plot + 100, y, area.plot + 300, y, 8);
  await browser.settle();
  const boxed = await view();
  const factor = (boxed.t1 - boxed.t0) / (panned.t1 - panned.t0);
  check('shift-drag zooms to the box', Math.abs(factor - 200 / area.plotWidth) < 0.01);
  await browser.evaluate('document.getElementById("scroller").focus()');
  await browser.key('+');
  await browser.settle();
  const keyed = await view();
  check('the key + zooms in', keyed.t1 - keyed.t0 < boxed.t1 - boxed.t0);
  await browser.key('0');
  await browser.settle();
  const whole = await view();
  check('the key 0 shows the whole', Math.abs(whole.t0 - before.t0) < 1e-9 && Math.abs(whole.t1 - before.t1) < 1e-9);
}

async function checkTask(browser) {
  const {task} = expected;
  const length = task.end - task.start;
  await browser.evaluate(`asterism.zoomTo(${task.start - 2 * length}, ${task.end + 2 * length})`);
  await browser.settle();
  const at = await browser.evaluate(`asterism.locate(0, ${task.index})`);
  const hit = await browser.evaluate(`asterism.hit(${at.x}, ${at.y})`);
  check('the task is where it is drawn', hit?.task === task.index);
  await browser.mouse('mouseMoved', at.x, at.y);
  await browser.settle();
  const tip = await browser.evaluate(`(() => { const t = document.getElementById("tooltip"); return t.hidden ? null : {
    title: t.querySelector("h3").textContent, text: t.textContent,
    fields: Object.fromEntries([...t.querySelectorAll("dd")].map((d) => [d.dataset.field, d.textContent])) }; })()`);
  check('hovering shows the task', tip?.title === task.codelet && tip.fields.job === String(task.job), tip?.title);
  check('its unit', tip?.fields.unit?.startsWith(task.unit), tip?.fields.unit);
  check(
      'its start and end',
      Math.abs(parseFloat(tip?.fields.start) - task.start) < 2e-9 &&
          Math.abs(parseFloat(tip?.fields.end) - task.end) < 2e-9,
      tip?.fields.start);
  check('its duration', close(number(tip?.fields.duration ?? '0'), length), tip?.fields.duration);
  check('its data', task.data.every((name) => tip?.text.includes(name)), task.data.join(', '));

  await browser.click(at.x, at.y);
  await browser.settle();
  const jobs = (id) =>
      browser.evaluate(`[...document.querySelectorAll("#${id} button")].map((b) => Number(b.dataset.job))`);
  const same = (a, b) => JSON.stringify([...new Set(a)].sort()) === JSON.stringify([...new Set(b)].sort());
  const predecessors = await jobs('predecessors');
  const successors = await jobs('successors');
  check('clicking lists its predecessors', same(predecessors, task.predecessors), predecessors.join(' '));
  check('and its successors', same(successors, task.successors), successors.join(' '));
  const released = await browser.evaluate(`document.querySelector("#selected .released")?.dataset.job ?? null`);
  check(
      'and which one released it', (released === null ? null : Number(released)) === task.released_by,
      released ?? 'none');
  if (task.predecessors.length > 0) {
    const button = await browser.evaluate(`(() => { const b = document.querySelector("#predecessors button");
      b.scrollIntoView({ block: "center" }); const r = b.getBoundingClientRect(); return { x: r.x + 20, y: r.y + r.height / 2 }; })()`);
    await browser.click(button.x, button.y);
    await browser.settle();
    const job = await browser.evaluate('asterism.selection.view.task.id[asterism.selection.task]');
    check('a click in the list jumps', job === predecessors[0], job);
  }
}

async function checkKeys(browser) {
  await browser.evaluate(`asterism.select(0, ${expected.task.index})`);
  await browser.evaluate('document.getElementById("scroller").focus()');
  const start = () => browser.evaluate('asterism.selection.view.task.start[asterism.selection.task]');
  const unit = () => browser.evaluate('asterism.selection.view.task.unit[asterism.selection.task]');
  const [before, on] = [await start(), await unit()];
  await browser.key('n');
  const after = await start();
  check('the key n goes to the unit\'s next task', after >= before && (await unit()) === on);
  if (after > before) await browser.key('p');
  check('the key p goes back', (await start()) === before);
}

async function checkHighlights(browser) {
  const folded = await browser.evaluate(`(() => { const b = document.getElementById("curves"); if (b.hidden) return null;
    const area = document.getElementById("panels"); const before = area.hidden; b.click();
    return before && !area.hidden && b.getAttribute("aria-pressed") === "true"; })()`);
  if (folded !== null) check('the curves of several recordings are folded until they are asked for', folded);
  const pressed =
      await browser.evaluate(`(() => { const b = document.getElementById("critical"); if (b.disabled) return null;
    b.click(); return b.getAttribute("aria-pressed"); })()`);
  await browser.settle();
  if (pressed !== null) check('the critical path can be shown', pressed === 'true');
  await browser.picture(picturePath.replace(/\.png$/, '.critical.png'));
  await browser.evaluate(`document.getElementById("critical").click()`);
  await browser.evaluate(
      `(() => { const s = document.getElementById("search"); s.value = ${JSON.stringify(expected.task.codelet)};
    s.dispatchEvent(new Event("input")); })()`);
  await sleep(400);
  const found = await browser.evaluate(`document.getElementById("found").textContent`);
  check('searching finds tasks', found !== '' && number(found) > 0, found);
  await browser.evaluate(
      `(() => { const s = document.getElementById("search"); s.value = ""; s.dispatchEvent(new Event("input")); })()`);
  await sleep(400);
}

/** The message's way is hovered, at a quarter of it, where no task lies; all messages are hidden and shown again. */
async function checkMessages(browser) {
  const {messages} = expected;
  const button = () => browser.evaluate(`(() => { const b = document.getElementById("messages");
    return { hidden: b.hidden, pressed: b.getAttribute("aria-pressed") }; })()`);
  const lines = () => browser.evaluate('asterism.lines');
  if (!messages) {
    check('without messages there is no switch for them', (await button()).hidden && (await lines()) === 0);
    return;
  }
  await browser.evaluate('asterism.app.axis.reset()');
  await browser.settle();
  const all = await lines();
  check('messages are drawn', all > 0 && all <= 4001 && (messages.number > 4000 || all === messages.number), all);
  const cells = await browser.evaluate(`[...document.querySelectorAll("#tables td")].filter((c) => c.dataset.pair
    || c.dataset.quantity === "idle-for-messages").map((c) => ({ ...c.dataset, text: c.textContent }))`);
  const shown = (found) => number(cells.find(found)?.text ?? '0');
  const wrong = messages.pairs.filter(({pair, messages: n}) => shown((c) => c.pair === pair) !== n);
  check('the table has each pair of ranks', wrong.length === 0, wrong[0]?.pair ?? '');
  const idle = messages.idle.filter((s, rank) => !close(shown((c) => c.rank === String(rank) && !c.pair), s));
  check('and the time that ranks idled for messages', idle.length === 0);

  const length = messages.end - messages.start;
  await browser.evaluate(`asterism.zoomTo(${messages.start - length}, ${messages.end + length})`);
  await browser.evaluate('document.getElementById("scroller").scrollTop = 0; scrollTo(0, 0)');
  await browser.settle();
  // in the sender's lane: a little after it was sent
  const at = await browser.evaluate(`asterism.locateMessage(0, ${messages.index}, 0.01)`);
  await browser.mouse('mouseMoved', at.x, at.y);
  await browser.settle();
  const tip = await browser.evaluate(`(() => { const t = document.getElementById("tooltip"); return t.hidden ? null : {
    title: t.querySelector("h3").textContent,
    fields: Object.fromEntries([...t.querySelectorAll("dd")].map((d) => [d.dataset.field, d.textContent])) }; })()`);
  const title = `message ${messages.from} → ${messages.to}`;
  check('hovering shows the message', tip?.title === title, tip?.title ?? 'no tooltip');
  const bytes = messages.bytes.toLocaleString('en').replaceAll(',', '\u202f');
  check(
      'its bytes, tag and data',
      Boolean(tip?.fields.bytes?.includes(bytes)) && tip?.fields.tag === String(messages.tag) &&
          tip?.fields.handle === messages.handle,
      JSON.stringify(tip?.fields ?? {}));
  check(
      'its times',
      Math.abs(parseFloat(tip?.fields.sent) - messages.start) < 2e-9 &&
          Math.abs(parseFloat(tip?.fields.arrived) - messages.end) < 2e-9 &&
          close(number(tip?.fields.duration ?? '0'), length));
  const there = await browser.evaluate(`asterism.locateMessage(0, ${messages.index}, 0.99)`);
  await browser.mouse('mouseMoved', there.x, there.y);
  await browser.settle();
  const heading = () => browser.evaluate(`(() => { const t = document.getElementById("tooltip");
    return t.hidden ? "" : t.querySelector("h3").textContent; })()`);
  check('where it arrives, too', (await heading()) === title);
  // a line where there is one: pixels of the chart change when messages are hidden
  const pixels = () => browser.evaluate(`(() => { const c = document.getElementById("chart").getContext("2d");
    const m = asterism.app.gantt.messages.ends(asterism.views[0], ${messages.index}); const r = window.devicePixelRatio;
    const [x, y] = [(m.x0 + m.x1) / 2 - 3, (m.y0 + m.y1) / 2 - 3];
    return [...c.getImageData(x * r, y * r, 7 * r, 7 * r).data].join(); })()`);
  const drawn = await pixels();
  const click = `document.getElementById("messages").click()`;
  await browser.evaluate(click);
  await browser.settle();
  check(
      'the switch hides them',
      (await lines()) === 0 && (await button()).pressed === 'false' && (await pixels()) !== drawn);
  await browser.mouse('mouseMoved', at.x, at.y + 1);
  await browser.settle();
  check('hidden ones have no tooltip', !(await heading()).startsWith('message'));
  await browser.evaluate('document.getElementById("scroller").focus()');
  await browser.key('m');
  await browser.settle();
  check(
      'the key m shows them', (await lines()) > 0 && (await button()).pressed === 'true' && (await pixels()) === drawn);
  await browser.picture(picturePath.replace(/\.png$/, '.messages.png'));
}

async function checkSaving(browser) {
  const folder = mkdtempSync(join(tmpdir(), 'asterism-picture-'));
  await browser.send('Page.setDownloadBehavior', {behavior: 'allow', downloadPath: folder});
  await browser.evaluate(`document.getElementById("save").click()`);
  const saved = () => readdirSync(folder).filter((name) => name.endsWith('.png'));
  for (let i = 0; i < 50 && saved().length === 0; ++i) await sleep(100);
  const head = saved().length > 0 ? readFileSync(join(folder, saved()[0])).subarray(1, 4).toString() : '';
  check('the picture is saved', head === 'PNG', saved()[0] ?? 'no file');
  rmSync(folder, {recursive: true, force: true});
}

async function measureFrames(browser, area) {
  await browser.key('0');
  await browser.settle();
  const times = [];
  for (let i = 0; i < 40; ++i) {
    await browser.mouse(
        'mouseWheel', area.x + 300 + 10 * i, area.y + area.height / 2, {deltaX: 0, deltaY: i % 20 < 10 ? -60 : 60});
    await browser.settle();
    times.push(await browser.evaluate('asterism.lastFrameMs'));
  }
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.floor(share * (times.length - 1))];
  // A crowded machine is slower than its processor: what a known loop takes beyond 20 ms extends the limit.
  const loop = await browser.evaluate(
      `(() => { const a = new Float64Array(1 << 20).fill(1); let s = 0; const b = performance.now();
    for (let k = 0; k < 10; ++k) for (let i = 0; i < a.length; ++i) s += a[i] * 1.5; return s > 0 ? performance.now() - b : 0; })()`);
  check(
      'frames are drawn in time', at(0.5) < expected.median_frame_ms * Math.max(1, loop / 20),
      `median ${at(0.5).toFixed(1)} ms, 90 % below ${at(0.9).toFixed(1)} ms, slowest ${
          at(1).toFixed(1)} ms; ten million additions take ${loop.toFixed(0)} ms`);
}

/** A link of a finding, and the same interval in the page's address, move the chart. */
async function checkFindings(browser) {
  const findings = expected.views.flatMap((view) => view.findings);
  const rows = await browser.evaluate(
      '[...document.querySelectorAll("a[data-finding]")].map((a) => a.closest("tr").textContent)');
  check('all findings are listed', rows.length === findings.length, `${rows.length}`);
  for (const [i, finding] of findings.entries()) {
    check(`finding ${i}`, rows[i]?.includes(finding.what) && rows[i].includes(finding.try), rows[i]);
    const room = (finding.end - finding.begin) / 2;
    const shows = (v) => Math.abs(v.t0 - finding.begin + room) < 1e-6 && Math.abs(v.t1 - finding.end - room) < 1e-6;
    const moved = async () => {
      await browser.settle();
      return browser.evaluate('asterism.view');
    };
    await browser.evaluate('asterism.app.select(null), asterism.app.axis.reset()');
    await browser.evaluate(`document.querySelectorAll("a[data-finding]")[${i}].click()`);
    check(`its link moves the chart`, shows(await moved()), JSON.stringify(await browser.evaluate('asterism.view')));
    const selected = await browser.evaluate('asterism.selection?.task ?? null');
    check(`and selects its task`, selected === finding.task, `${selected}`);
    await browser.evaluate('asterism.app.axis.reset(), location.hash = ""');
    await moved();
    await browser.evaluate(`location.hash = "#${finding.begin}:${finding.end}"`);
    check(`the page's address does, too`, shows(await moved()));
  }
}

const browser = new Browser(chromium);
try {
  const begin = Date.now();
  await browser.open(pathToFileURL(resolve(pagePath)).href, 1500, 1000);
  let ready = false;
  for (let i = 0; i < 600 && !ready && browser.errors.length === 0; ++i) {
    await sleep(100);
    ready = await browser.evaluate('window.asterism?.ready === true');
  }
  check('the page opens', ready, `${((Date.now() - begin) / 1000).toFixed(1)} s`);
  if (ready) {
    await browser.settle();
    await browser.picture(picturePath);
    const area = await browser.evaluate(`(() => { const r = document.getElementById("scroller").getBoundingClientRect();
      const g = asterism.app.gantt; return { x: r.x, y: r.y, height: r.height, plot: r.x + r.width - g.plotWidth, plotWidth: g.plotWidth }; })()`);
    await checkNumbers(browser);
    await checkZoom(browser, area);
    await checkTask(browser);
    await browser.picture(picturePath.replace(/\.png$/, '.task.png'));
    await checkKeys(browser);
    await checkHighlights(browser);
    await checkMessages(browser);
    await checkSaving(browser);
    await browser.evaluate('scrollTo(0, 0)');
    await browser.evaluate('document.getElementById("scroller").focus()');
    await browser.key('Escape');
    await measureFrames(browser, area);
    await checkFindings(browser);
    await browser.evaluate('document.getElementById("tables").scrollIntoView()');
    await browser.settle();
    await browser.picture(picturePath.replace(/\.png$/, '.tables.png'));
  }
  check('no error on the console', browser.errors.length === 0, browser.errors[0] ?? '');
} catch (error) {
  check('the browser can be driven', false, error.message);
} finally {
  await browser.close();
}
process.exit(failures === 0 ? 0 : 1);
