// SPDX-License-Identifier: Apache-2.0
// Headless Chromium, driven over a pipe (JSON ended by NUL on file descriptors 3 and 4), so that no package is needed.
import {spawn} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

export class Browser {
  constructor(chromium) {
    this.profile = mkdtempSync(join(tmpdir(), 'asterism-page-'));
    this.process = spawn(
        chromium,
        [
          '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
          '--disable-background-networking', '--disable-component-update', '--disable-sync', '--hide-scrollbars',
          `--user-data-dir=${this.profile}`, '--remote-debugging-pipe'
        ],
        {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
    this.waiting = new Map();
    this.next = 1;
    this.errors = [];
    let rest = Buffer.alloc(0);
    this.process.stdio[4].on('data', (data) => {
      rest = Buffer.concat([rest, data]);
      for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
        this.receive(JSON.parse(rest.subarray(0, end).toString()));
        rest = rest.subarray(end + 1);
      }
    });
  }
  receive(message) {
    if (message.id !== undefined) {
      const {done, fail} = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (message.error)
        fail(new Error(message.error.message));
      else
        done(message.result);
      return;
    }
    const {method, params} = message;
    if (method === 'Runtime.exceptionThrown') {
      this.errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    }
    if (method === 'Runtime.consoleAPICalled' && ['error', 'assert'].includes(params.type)) {
      this.errors.push(params.args.map((a) => a.value ?? a.description).join(' '));
    }
    if (method === 'Log.entryAdded' && params.entry.level === 'error') this.errors.push(params.entry.text);
    if (method === 'Page.javascriptDialogOpening') this.errors.push(`a dialog opened: ${params.message}`);
  }
  send(method, params = {}) {
    const id = this.next++;
    this.process.stdio[3].write(JSON.stringify({id, method, params, sessionId: this.session}) + '\0');
    return new Promise((done, fail) => this.waiting.set(id, {done, fail}));
  }
  async open(url, width, height) {
    const {targetId} = await this.send('Target.createTarget', {url: 'about:blank'});
    this.session = (await this.send('Target.attachToTarget', {targetId, flatten: true})).sessionId;
    for (const domain of ['Page', 'Runtime', 'Log']) await this.send(`${domain}.enable`);
    await this.send('Emulation.setDeviceMetricsOverride', {width, height, deviceScaleFactor: 1, mobile: false});
    await this.send('Page.navigate', {url});
  }
  async evaluate(expression) {
    const {result, exceptionDetails} =
        await this.send('Runtime.evaluate', {expression, returnByValue: true, awaitPromise: true});
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }
  mouse(type, x, y, more = {}) { return this.send('Input.dispatchMouseEvent', {type, x, y, ...more}); }
  async click(x, y) {
    await this.mouse('mouseMoved', x, y);
    for (const type of ['mousePressed', 'mouseReleased'])
      await this.mouse(type, x, y, {button: 'left', buttons: 1, clickCount: 1});
  }
  async drag(x0, y0, x1, y1, modifiers = 0) {
    const held = {button: 'left', buttons: 1, modifiers};
    await this.mouse('mousePressed', x0, y0, {...held, clickCount: 1});
    for (let i = 1; i <= 5; ++i)
      await this.mouse('mouseMoved', x0 + ((x1 - x0) * i) / 5, y0 + ((y1 - y0) * i) / 5, held);
    await this.mouse('mouseReleased', x1, y1, {...held, clickCount: 1});
  }
  async key(key) {
    const text = key.length === 1 ? key : undefined;
    await this.send('Input.dispatchKeyEvent', {type: 'keyDown', key, text});
    await this.send('Input.dispatchKeyEvent', {type: 'keyUp', key});
  }
  /** After the next frame, so that what an event changed is drawn. */
  settle() {
    return this.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))');
  }
  async picture(path) {
    const {data} = await this.send('Page.captureScreenshot', {format: 'png'});
    writeFileSync(path, Buffer.from(data, 'base64'));
  }
  async close() {
    const ended = new Promise((done) => this.process.once('exit', done));
    this.session = undefined;
    this.send('Browser.close').catch(() => {});
    await Promise.race([ended, sleep(3000)]);
    this.process.kill('SIGKILL');
    await sleep(200);
    rmSync(this.profile, {recursive: true, force: true, maxRetries: 5});
  }
}
