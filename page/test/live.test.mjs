// The live page in Debian's chromium: a real group is followed through a kill -9, a deadlock and names that would do harm.
// HAPAX names the program, which carries the page. PAGE_SHOTS=FOLDER also keeps pictures of it.
import axe from 'axe-core';
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import test, { after, before } from 'node:test';
import { launch } from './chromium.mjs';
import { root } from './engine.mjs';

const patience = { timeout: Number(process.env.PAGE_PATIENCE ?? 30_000) }; // Others may be busy on this machine.
const folder = mkdtempSync(join(tmpdir(), 'hapax-live-'));
const environment = { ...process.env, XDG_RUNTIME_DIR: folder, HAPAX_ADDRESS: `unix:${folder}/first.sock` };
let up, browser, url;
let said = '';
const children = [];

const hapax = (...words) => execFileSync(process.env.HAPAX, words, { encoding: 'utf8', env: environment }).trim();
function start(...words) {
  const child = spawn(process.env.HAPAX, words, { env: environment, stdio: 'ignore' });
  children.push(child);
  return child;
}
async function eventually(what, isSo) {
  const end = Date.now() + patience.timeout;
  while (!(await isSo())) {
    assert.ok(Date.now() < end, `in time: ${what}; ${said}`);
    await new Promise((later) => setTimeout(later, 100));
  }
}

before(async () => {
  up = spawn(process.env.HAPAX, ['up', '3', '--ttl', '5s', '--clients-dir', join(folder, 'members'), '--page', '127.0.0.1:0'], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const pipe of [up.stdout, up.stderr]) pipe.on('data', (text) => (said += text));
  await eventually('the group is up', () => /for you alone: (\S+)/.test(said));
  url = /for you alone: (http:\S+\/)#/.exec(said)[1];
  browser = await launch();
}, { timeout: 60_000 });
after(async () => {
  await browser?.close();
  for (const child of children) child.kill();
  up?.kill();
  if (up && up.exitCode === null) await new Promise((ended) => up.on('exit', ended));
  rmSync(folder, { recursive: true, force: true });
});

// A page that is live. Whatever it complains about, or asks of others, fails the test.
async function open(t, address = hapax('live'), options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  page.setDefaultTimeout(patience.timeout);
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`) && dialog.dismiss());
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  const own = new URL(address).origin;
  page.on('request', (request) => request.url().startsWith(own) || request.url().startsWith('data:') || complaints.push(request.url()));
  t.after(async () => {
    await page.close();
    assert.deepEqual(complaints, []);
  });
  await page.goto(address);
  await page.locator('.connection.live').waitFor();
  return page;
}
async function hasNoViolation(page) {
  await page.evaluate(axe.source);
  const found = await page.evaluate(() => axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] }));
  assert.deepEqual(found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(' ')}`), []);
}
async function keep(page, name) {
  if (process.env.PAGE_SHOTS) await page.screenshot({ path: join(process.env.PAGE_SHOTS, name) });
}
const rowOf = (page, text) => page.locator('.row', { hasText: text });

test('without a pass nobody is let in, and the pass is not left in the address', { timeout: 4 * patience.timeout }, async (t) => {
  const page = await browser.newPage();
  t.after(() => page.close());
  await page.goto(url);
  await page.getByText('This page needs a pass').waitFor();
  assert.equal(await page.locator('.members-list').count(), 0);
  const entered = await open(t);
  assert.equal(new URL(entered.url()).hash, '');
  await entered.reload();
  await entered.locator('.connection.live').waitFor();
  const cookies = await entered.context().cookies();
  assert.deepEqual(cookies, []);
});

test('locks are shown with who holds and who waits, found, and chosen by keys', { timeout: 4 * patience.timeout }, async (t) => {
  const page = await open(t);
  await page.locator('.members-list li').nth(2).waitFor();
  const meter = page.getByRole('meter').first();
  const before = await meter.textContent();
  await eventually('a lease runs down', async () => (await meter.textContent()) !== before);
  const holder = start('run', 'orders/1', '--', 'sleep', '600');
  await rowOf(page, 'orders/1').waitFor();
  start('run', 'orders/1', '--', 'sleep', '601');
  start('run', 'invoices', '--', 'sleep', '602');
  await rowOf(page, '1 waits').waitFor();
  await rowOf(page, 'invoices').waitFor();
  await page.getByLabel('Search').fill('orders/*');
  await rowOf(page, 'invoices').waitFor({ state: 'detached' });
  await page.getByLabel('Search').fill('sleep 602');
  await rowOf(page, 'invoices').waitFor();
  await page.getByLabel('Search').fill('');
  await rowOf(page, 'orders/1').waitFor();
  await page.getByRole('listbox').focus();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  const detail = page.locator('.detail');
  await detail.getByRole('heading', { name: 'orders/1' }).waitFor();
  assert.match(await detail.innerText(), new RegExp(`holds hapax run orders/1.*pid ${holder.pid} on`));
  assert.match(await detail.innerText(), new RegExp(`waits hapax run orders/1.*for hapax run orders/1.*pid ${holder.pid}`));
  holder.kill();
  await detail.getByText(`left by hapax run orders/1 -- sleep 600, pid ${holder.pid}`).waitFor();
  await detail.getByText('taken by hapax run orders/1 -- sleep 601').waitFor();
});

test('the messages of a lock are recorded, drawn, and saved as a trace that replay takes', { timeout: 4 * patience.timeout }, async (t) => {
  const page = await open(t);
  const members = readdirSync(join(folder, 'members')).filter((one) => one.endsWith('.sock'));
  for (const member of members) {
    const loop = spawn('bash', ['-c', `while "${process.env.HAPAX}" run talk -- sleep 0.1; do :; done`], { env: { ...environment, HAPAX_ADDRESS: `unix:${join(folder, 'members', member)}` }, stdio: 'ignore' });
    children.push(loop);
  }
  assert.ok(members.length >= 2, members.join());
  await page.getByLabel('Search').fill('talk');
  await rowOf(page, 'talk').click();
  const detail = page.locator('.detail');
  await detail.getByLabel('Seconds').fill('2');
  await detail.getByRole('button', { name: 'Record' }).click();
  await detail.getByText('Recording …').waitFor();
  const picture = detail.locator('.picture img');
  await picture.waitFor();
  await eventually('the picture is drawn', () => picture.evaluate((image) => image.complete && image.naturalWidth > 200));
  await keep(page, 'live-messages.png');
  const [file] = await Promise.all([page.waitForEvent('download'), detail.getByRole('link', { name: 'Save as a .trace' }).click()]);
  assert.equal(file.suggestedFilename(), 'talk.trace');
  const saved = join(folder, 'talk.trace');
  await file.saveAs(saved);
  assert.match(readFileSync(saved, 'utf8'), /^deliver \w/m);
  assert.match(hapax('replay', saved, '--check'), /come out as written/);
  // The same by the command line.
  const other = join(folder, 'other.trace');
  hapax('watch', '--trace', 'talk', other, '--for', '1s');
  assert.match(hapax('replay', other, '--check'), /come out as written/);
  assert.match(readFileSync(other, 'utf8'), /is inside with fence/);
  await hasNoViolation(page);
  await page.getByRole('button', { name: 'Dark' }).click(); // The link to the file is to be read there, too.
  await hasNoViolation(page);
});

test('names of strangers are shown, and nothing else', { timeout: 4 * patience.timeout }, async (t) => {
  const page = await open(t);
  const script = '<script>alert(1)</script><img src=x onerror=alert(2)>';
  start('run', script, '--', 'sleep', '603');
  start('run', 'invoice\u202efdp.exe', '--', 'sleep', '604');
  start('run', `long ${'x'.repeat(500)}`, '--', 'sleep', '605');
  await rowOf(page, script).click();
  await page.locator('.detail').getByText(script).first().waitFor();
  await rowOf(page, 'invoice\\u202efdp.exe').waitFor();
  await rowOf(page, 'long xxx').click();
  assert.equal(await page.locator('#page img, #page script').count(), 0);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
});

test('a deadlock is red, for all who look', { timeout: 4 * patience.timeout }, async (t) => {
  const page = await open(t);
  const inner = (lock) => ['sh', '-c', `sleep 1; exec '${process.env.HAPAX}' run ${lock} -- true`];
  start('run', 'stock', '--', ...inner('ledger'));
  start('run', 'ledger', '--', ...inner('stock'));
  start('run', 'report', '--', ...inner('ledger'));
  await page.getByRole('alert').getByText('Deadlock: ledger → stock → ledger').waitFor();
  await page.locator('.graph .lock', { hasText: 'report' }).waitFor();
  const [box, text] = await Promise.all(['rect', 'text'].map((one) => page.locator(`.graph .lock.red ${one}`).first().boundingBox()));
  assert.ok(Math.abs(box.x + box.width / 2 - text.x - text.width / 2) < 3, 'a name is in the middle of its box');
  assert.equal(await page.locator('.edge.red').count(), 2);
  assert.equal(await page.locator('.lock.red').count(), 2);
  await page.locator('.graph .lock.red').first().click();
  await page.locator('.detail').getByText('Its holder waits for').waitFor();
  await page.locator('.detail').getByText('Those who wait hold').waitFor();
  await hasNoViolation(page);
  await keep(page, 'live-light.png');
  await page.getByRole('button', { name: 'Dark' }).click();
  await hasNoViolation(page);
  await keep(page, 'live-dark.png');
  await page.setViewportSize({ width: 380, height: 800 });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 380));
  await hasNoViolation(page);
  await keep(page, 'live-phone.png');
});

test('a group is followed through a kill -9', { timeout: 4 * patience.timeout }, async (t) => {
  const page = await open(t);
  await page.getByText(/: view \d+, 3 members/).waitFor();
  start('run', '--address', `unix:${folder}/members/member-3.sock`, 'lost-with-its-daemon', '--', 'sleep', '606');
  await rowOf(page, 'lost-with-its-daemon').waitFor();
  const pid = Number([...said.matchAll(/member 3 .*pid (\d+)/g)].at(-1)[1]);
  assert.ok(pid > 1);
  process.kill(pid, 'SIGKILL');
  await page.getByText(/: view \d+, 2 members/).waitFor();
  await page.getByRole('alert').getByText(/member-3 has been gone since \d/).waitFor();
  assert.match(await page.title(), /^\(\d+!\) hapax/);
  await page.locator('.members-list li', { hasText: 'member-3' }).getByText('gone', { exact: true }).waitFor();
  await page.locator('.log').getByText(/^\S+ warning member member-3 is away/).waitFor();
  await page.locator('.log').getByText(/view \d+ of 2 members begins.*member-3 is gone/).waitFor();
  await rowOf(page, 'lost-with-its-daemon').waitFor({ state: 'detached' });
  assert.equal(await page.locator('.members-list li .phase.inside').count(), 2);
  await page.getByRole('button', { name: 'views' }).click();
  assert.match(await page.locator('.log').innerText(), /view \d+ of 2 members begins/);
});

// --- a server that says what a daemon would ---

const event = (name, data) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const status = () =>
  event('status', {
    time: Date.now(),
    status: { group: 'big', member: 1, name: 'member-1', size: 1, epoch: 1, ready: true, obstacle: '', absence: '', standing: '', members: [], view: { engine: 'embedded:x', engine_reachable: true, ttl_ms: 5000, lease_ms: 4000, lives: [] }, all: [], silent: [] },
    figures: { rules: [], messages_sent: 0, losses_told: 0 },
  });
// speak(say, request) does so to each who listens to /v1/events.
function daemonThat(speak, isStopped = () => false) {
  const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };
  const server = createServer((request, response) => {
    if (request.url !== '/v1/events') {
      const path = join(root, 'build/page/live', request.url === '/' ? 'index.html' : request.url.slice(1));
      response.writeHead(existsSync(path) ? 200 : 404, { 'Content-Type': types[extname(path)] ?? 'text/plain' });
      return response.end(existsSync(path) ? readFileSync(path) : '');
    }
    if (isStopped()) return;
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(event('begin', { time: Date.now(), every_ms: 1000, has_log: false }) + status());
    speak((text) => response.write(text), request);
  });
  return new Promise((listening) => server.listen(0, '127.0.0.1', () => listening(server)));
}

test('a member that came back before its last life is over is shown twice, and the page goes on', { timeout: 4 * patience.timeout }, async (t) => {
  const life = (number, seat, up) => ({ life: number, seat, name: `member-${seat}`, address: 'x', member: !up, up, evicted: false });
  const told = JSON.parse(/^data: (.*)$/m.exec(status())[1]);
  told.status.view.lives = [life(1, 1, true), life(2, 2, false), life(77, 2, true)];
  const server = await daemonThat((say) => say(event('status', told)));
  const page = await open(t, `http://127.0.0.1:${server.address().port}/#x`);
  t.after(() => server.closeAllConnections() ?? server.close());
  await page.locator('.members-list li', { hasText: 'member-2' }).getByText('joining').waitFor();
  assert.deepEqual((await page.locator('.members-list .phase').allInnerTexts()).sort(), ['away', 'joining', 'joining']);
});

test('a daemon that has stopped is not called live, and what it said last is said to be old', { timeout: 4 * patience.timeout }, async (t) => {
  let listeners = 0;
  let isStopped = false; // Connections are taken, by the system, and nothing comes.
  const server = await daemonThat(
    (say, request) => {
      if (++listeners === 1) return (isStopped = true);
      const timer = setInterval(() => say(status()), 1000);
      request.on('close', () => clearInterval(timer));
    },
    () => isStopped,
  );
  const page = await open(t, `http://127.0.0.1:${server.address().port}/#x`);
  t.after(() => server.closeAllConnections() ?? server.close());
  await page.locator('.connection.lost').waitFor();
  await page.getByRole('alert').getByText(/No word from member-1 since \d\d:\d\d:\d\d/).waitFor();
  isStopped = false;
  await page.locator('.connection.live').waitFor();
  await page.getByRole('alert').waitFor({ state: 'hidden' });
  assert.equal(listeners, 2);
});

// Ten thousand locks.
function tenThousand() {
  const person = (i) => ({ member: 1, member_name: 'member-1', host: 'vm', pid: 1000 + i, command: `/usr/bin/worker --job ${i}`, since_ms: i, fence: `1.${i}` });
  const lock = (i) => ({ lock: `orders/${String(i).padStart(5, '0')}`, algorithm: 'carvalho-roucairol', holder: person(i), sharers: [], waiters: i % 7 ? [] : [person(i + 20_000)], more_sharers: 0, more_waiters: 0 });
  const locks = (from, count) => event('locks', { time: Date.now(), locks: Array.from({ length: count }, (_, i) => lock((from + i) % 10_000)), gone: [], silent: [], more_locks: 0 });
  return daemonThat((say, request) => {
    for (let from = 0; from < 10_000; from += 250) say(locks(from, 250));
    let next = 0;
    const timer = setInterval(() => say(status() + locks((next += 500), 500)), 1000);
    request.on('close', () => clearInterval(timer));
  });
}

test('ten thousand locks, 500 of which change every second, are scrolled as ten are', { timeout: 4 * patience.timeout }, async (t) => {
  const server = await tenThousand();
  const page = await open(t, `http://127.0.0.1:${server.address().port}/#x`);
  t.after(() => server.closeAllConnections() ?? server.close());
  await page.getByText('10000 in use').waitFor();
  const frames = await page.evaluate(async () => {
    const box = document.querySelector('.rows');
    const times = [];
    let last = performance.now();
    while (times.length < 120) {
      box.scrollTop += 3000;
      if (box.scrollTop + box.clientHeight >= box.scrollHeight) box.scrollTop = 0;
      await new Promise((next) => requestAnimationFrame(next));
      times.push(performance.now() - last);
      last = performance.now();
    }
    return times.sort((a, b) => a - b);
  });
  t.diagnostic(`a frame takes ${frames[60].toFixed(1)} ms in the median, ${frames[118].toFixed(1)} ms at most but for one`);
  // How many frames there are also depends on who else is busy; what the page does for one does not.
  const work = await page.evaluate(async () => {
    const box = document.querySelector('.rows');
    const times = [];
    for (let i = 0; i < 120; ++i) {
      const began = performance.now();
      box.scrollTop = (i * 3001) % (box.scrollHeight - box.clientHeight);
      box.dispatchEvent(new Event('scroll'));
      await Promise.resolve(); // Svelte has made the rows, …
      box.lastElementChild.getBoundingClientRect(); // … and they have been laid out.
      times.push(performance.now() - began);
      await new Promise((next) => setTimeout(next));
    }
    return times.sort((a, b) => a - b);
  });
  t.diagnostic(`of which the page works ${work[60].toFixed(1)} ms`);
  assert.ok(work[60] < 1000 / 30, `of the median frame the page worked ${work[60]} ms`);
  assert.ok((await page.locator('.row').count()) < 60);
  const found = await page.evaluate(async () => {
    const began = performance.now();
    const search = document.querySelector('input[type=search]');
    search.value = '09999';
    search.dispatchEvent(new Event('input', { bubbles: true }));
    await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
    return [performance.now() - began, document.querySelectorAll('.row').length];
  });
  t.diagnostic(`a search takes ${found[0].toFixed(0)} ms`);
  assert.equal(found[1], 1);
});
