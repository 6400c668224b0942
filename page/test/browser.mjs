// The page in Debian's chromium, for tests: a browser, a server, and what a reader points at. HAPAX_LAB names the native laboratory.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before } from 'node:test';
import { launch } from './chromium.mjs';
import { serve } from '../serve.mjs';
import { root } from './engine.mjs';

let server, browser;
export let url;
export const patience = { timeout: Number(process.env.PAGE_PATIENCE ?? 60_000) }; // Others may be busy on this machine.

before(async () => {
  server = await serve(`${root}/build/page/site`);
  url = `http://127.0.0.1:${server.address().port}/`;
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.close();
});

export function native(...words) {
  try {
    return execFileSync(process.env.HAPAX_LAB, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (failed) {
    assert.equal(failed.status, 1, failed.stderr);
    return failed.stdout;
  }
}

// A page that has loaded. Whatever it complains about, or asks of others, fails the test.
export async function open(t, address = '', options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  page.setDefaultTimeout(patience.timeout);
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('request', (request) => request.url().startsWith(url) || request.url().startsWith('data:') || request.url().startsWith('blob:') || complaints.push(request.url()));
  t.after(async () => {
    await page.close();
    assert.deepEqual(complaints, []);
  });
  await page.goto(url + address);
  await page.locator('svg .name, .lectures, .compare').first().waitFor();
  return page;
}
export const textOf = (page, selector) => page.locator(selector).innerText();
export const position = async (page) => textOf(page, '.player output');
// Of a picture: all that is drawn, at the place where it is.
export const drawn = (page) => page.locator('.frame svg').last().evaluate((svg) => svg.innerHTML.replace(/<!--.*?-->/g, ''));
// On an arrow, not far from where it begins, where no other crosses it.
export async function onArrow(page, id, act) {
  const line = page.locator(`.arrow[data-message="${id}"] .shaft`);
  await line.scrollIntoViewIfNeeded();
  const at = await line.evaluate((shaft) => {
    const { x1, y1, x2, y2 } = shaft;
    for (let t = 0.05; t < 1; t += 0.05) {
      const of = (a, b) => a.baseVal.value + t * (b.baseVal.value - a.baseVal.value);
      const point = new DOMPoint(of(x1, x2), of(y1, y2)).matrixTransform(shaft.getScreenCTM());
      if (document.elementFromPoint(point.x, point.y)?.closest('.arrow') === shaft.parentNode) return { x: point.x, y: point.y };
    }
    return null;
  });
  assert.ok(at, `arrow ${id} cannot be reached`);
  await page.mouse[act](at.x, at.y);
}
export const hasAddress = (page, words) => page.waitForFunction((some) => location.hash.includes(some), words, patience);
