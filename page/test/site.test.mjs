// The documents' site in Debian's chromium: an algorithm's page has its diagram live. scripts/site has built it, and has checked every
// link.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { launch } from './chromium.mjs';
import { serve, sitePolicy } from '../serve.mjs';
import { root } from './engine.mjs';

const html = `${root}/build/site/html`;
const patience = Number(process.env.PAGE_PATIENCE ?? 60_000); // Others may be busy on this machine.
let server, browser, url;

before(async () => {
  server = await serve(html, 0, sitePolicy);
  url = `http://127.0.0.1:${server.address().port}/`;
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.close();
});

async function open(t, address, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  page.setDefaultTimeout(patience);
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('request', (request) => request.url().startsWith(url) || /^(data|blob):/.test(request.url()) || complaints.push(request.url()));
  t.after(async () => {
    await page.close();
    assert.deepEqual(complaints, []);
  });
  await page.goto(url + address);
  return page;
}

test("an algorithm's page has its diagram live, and a message is lost by a click", async (t) => {
  const page = await open(t, 'docs/algorithms/ricart-agrawala.html');
  const frame = page.locator('.live iframe').nth(1);
  await frame.scrollIntoViewIfNeeded();
  const lab = frame.contentFrame();
  await lab.locator('svg .name').first().waitFor();
  assert.equal(await lab.locator('.player output').innerText(), '14 / 14');
  await lab.getByRole('button', { name: 'To the beginning' }).click();
  assert.equal(await lab.locator('header').isVisible(), false);
  assert.equal(await lab.locator('.pick').isVisible(), false);
  await lab.getByRole('button', { name: 'One step forward' }).click();
  assert.equal(await lab.locator('.player output').innerText(), '1 / 14');
  await lab.getByRole('button', { name: 'To the end' }).click();
  await lab.locator('.arrow .hit').first().click({ force: true });
  await lab.getByRole('button', { name: /Lose/ }).first().click();
  await lab.locator('.fork').nth(1).waitFor();
  if (process.env.PAGE_SHOTS) await page.screenshot({ path: join(process.env.PAGE_SHOTS, 'site.png') });
});

test('every algorithm with messages has a live diagram, of an example that is there', async () => {
  const traces = new Set(execFileSync('bash', ['-c', `ls ${root}/src/*/testdata/*.trace ${root}/docs/traces/*.trace`], { encoding: 'utf8' }).match(/[\w-]+(?=\.trace)/g));
  const without = [];
  for (const file of readdirSync(`${html}/docs/algorithms`).filter((one) => one.endsWith('.html'))) {
    const frames = [...readFileSync(`${html}/docs/algorithms/${file}`, 'utf8').matchAll(/iframe src="[^"]*trace=([\w-]+)/g)].map((found) => found[1]);
    for (const name of frames) assert.ok(traces.has(name), name);
    if (frames.length === 0) without.push(file);
  }
  assert.deepEqual(without.sort(), ['bakery-lock.html', 'dijkstra.html', 'index.html', 'redlock.html', 'semaphore.html', 'voting-sets.html']);
});

test('on a phone nothing is wider than the screen, in the dark as well', async (t) => {
  const page = await open(t, 'docs/algorithms/lamport.html', { viewport: { width: 380, height: 800 }, colorScheme: 'dark' });
  const frame = page.locator('.live iframe').first();
  await frame.scrollIntoViewIfNeeded();
  await frame.contentFrame().locator('svg .name').first().waitFor();
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  if (process.env.PAGE_SHOTS) await page.screenshot({ path: join(process.env.PAGE_SHOTS, 'site-phone.png') });
});

test('a link that leads nowhere, an anchor that is not there and a request to another host are found', () => {
  const copy = mkdtempSync(join(tmpdir(), 'hapax-site-'));
  try {
    cpSync(html, copy, { recursive: true });
    const index = join(copy, 'index.html');
    const bad = '<a href="nowhere.html">x</a><a href="docs/page.html#no-such">x</a><img src="https://example.org/x.png">';
    writeFileSync(index, readFileSync(index, 'utf8').replace('</body>', `${bad}</body>`));
    const { status, stderr } = spawnSync('python3', [`${root}/page/site/check.py`, copy], { encoding: 'utf8' });
    assert.equal(status, 1);
    assert.deepEqual(stderr.trim().split('\n').sort(), ['index.html loads https://example.org/x.png', 'index.html: no anchor docs/page.html#no-such', 'index.html: nothing is at nowhere.html']);
  } finally {
    rmSync(copy, { recursive: true });
  }
});
