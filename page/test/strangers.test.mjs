// What three strangers stumbled over who had only the page before them; and what strangers send, which is only shown.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import test from 'node:test';
import { native, onArrow, open, textOf } from './browser.mjs';

test('what is wrong is red only when it has happened, and a guide does not give itself away', async (t) => {
  const page = await open(t, '#trace=lamport-overtaken&at=3');
  assert.equal(await page.locator('.bar.alarm').count(), 0);
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.locator('.bar.alarm').count(), 2);
  await page.evaluate(() => (location.hash = '#guide=maekawa-deadlock-3'));
  await page.locator('.guide .counts', { hasText: 'Guide, 1 of 2' }).waitFor();
  const forEver = page.locator('svg text', { hasText: 'waits for ever' });
  assert.equal(await forEver.count(), 3);
  for (const label of await forEver.all()) assert.equal(await label.isVisible(), false);
  assert.match(await textOf(page, '.members'), /p1\s+waiting\s+turn 0 · votes \{p1\} · candidate p1/);
  await page.getByRole('button', { name: 'Close' }).click();
  await page.keyboard.press('End');
  for (const label of await forEver.all()) assert.ok(await label.isVisible());
});

test('one goes on by keys where a menu was, and the player stays in sight', async (t) => {
  const page = await open(t, '#trace=six-processes', { viewport: { width: 1280, height: 700 } });
  const { y, height } = await page.locator('.player').boundingBox();
  assert.ok(y + height <= 700, `${y} + ${height}`);
  await onArrow(page, 3, 'click');
  await page.keyboard.press('Escape');
  assert.equal(await page.evaluate(() => document.activeElement.className.split(' ')[0]), 'frame');
  await onArrow(page, 3, 'click');
  await page.locator('.menu').getByRole('button', { name: 'Lose' }).click();
  await page.locator('.fork', { hasText: 'lost' }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.className.split(' ')[0]), 'frame');
});

test('the command that is given repeats the run, whatever its file is called', async (t) => {
  const page = await open(t, '#trace=request-5-and-3');
  const command = () => textOf(page, '[aria-label=Share] .command code');
  await onArrow(page, 1, 'click');
  await page.locator('.menu').getByRole('button', { name: 'Lose' }).click();
  await page.locator('.fork', { hasText: 'lost' }).waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: '.trace', exact: true }).click()]);
  assert.equal(await command(), `hapax replay ${download.suggestedFilename()}`);
  assert.match(native('replay', await download.path(), '--check'), /come out as written/);
  const name = "it's; $(id) `id`.trace";
  await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from('nodes central A B\nrequest A\n----\n') });
  await page.locator('.fork', { hasText: '$(id)' }).waitFor();
  const words = execFileSync('sh', ['-c', `hapax() { printf '%s\\n' "$@"; }; ${await command()}`], { encoding: 'utf8' });
  assert.equal(words, `trace\n${name}\n`);
});

test('units are chosen where there are some, and a run that is longer than its trace says so', async (t) => {
  const page = await open(t);
  await page.getByLabel('Algorithm').first().selectOption('semaphore-ra');
  await page.getByLabel('Units').first().fill('2');
  await page.getByRole('button', { name: 'New run' }).click();
  await page.locator('.fork', { hasText: 'semaphore-ra, N = 3' }).waitFor();
  assert.match(await textOf(page, '[aria-label=Share] .command'), /--units 2/);
  assert.match(await textOf(page, '.prove .command'), /hapax check semaphore-ra -n 3 --units 2/);
  await page.getByLabel('Algorithm').first().selectOption('lamport');
  await page.getByLabel('N', { exact: true }).first().fill('20');
  await page.getByLabel('Entries').fill('100');
  await page.getByRole('button', { name: 'New run' }).click();
  await page.locator('.fork', { hasText: 'lamport, N = 20' }).waitFor();
  assert.match(await textOf(page, '.remark'), /The run went on; a trace ends after 2000 steps/);
});

test('what a stranger sends is only shown', async (t) => {
  const hostile = '<img src=x onerror=alert(1)>\u202e<script>alert(1)</script>';
  const page = await open(t);
  page.on('dialog', () => assert.fail('a script ran'));
  const files = [
    ['odd.trace', `# ${hostile}\nnodes central <script>alert(1)</script> <b>P2</b>\nrequest <b>P2</b>\nstabilize\n----\n`],
    [`${hostile.slice(0, 20)}.trace`.replaceAll('/', ''), `${hostile}\n----\n`],
    ['long-line.trace', 'x'.repeat(2 << 20)],
    ['large.trace', 'x'.repeat(9 << 20)],
    ['crowd.trace', `nodes ricart-agrawala ${Array.from({ length: 50_000 }, (_, i) => `P${i}`).join(' ')}\nrequest P1\nstabilize\n----\n`],
    ['endless.trace', 'nodes token-ring P1 P2\nstart\nstabilize\n----\n'],
    ['bytes.trace', '\u0000\uffff\n'],
  ];
  for (const [name, text] of files) {
    await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
    await page.locator(name === 'odd.trace' ? '.fork:has-text("odd")' : '.problem').first().waitFor();
    if (name !== 'odd.trace') await page.getByRole('button', { name: 'Dismiss' }).click();
  }
  // Inside, and its own request not in its queue: no run leads there.
  const made = 'nodes lamport A B state=A:0101020000\nrelease A\n----\n';
  await page.locator('input[type=file]').setInputFiles({ name: 'made.trace', mimeType: 'text/plain', buffer: Buffer.from(made) });
  await page.locator('.problem', { hasText: 'no run leads to the states that this trace begins with' }).waitFor();
  assert.doesNotMatch(await textOf(page, '.problem'), /bug/);
  await page.getByRole('button', { name: 'Dismiss' }).click();
  const odd = encodeURIComponent(hostile);
  for (const address of ['#run=AAAA', '#run=%%%', `#trace=${odd}`, `#guide=${odd}`, '#guide=__proto__', '#at=99999999999&scene=7', '#guide=bank&step=99', `#view=${odd}`]) {
    const other = await open(t, address);
    other.on('dialog', () => assert.fail('a script ran'));
    await other.locator('svg .name').first().waitFor();
    assert.equal(await other.locator('.problem').count(), /^#(at|guide=bank|view)/.test(address) ? 0 : 1, address);
  }
  const lectures = await open(t, `#view=lectures&claim=${odd}`);
  assert.equal(await lectures.locator('.lectures img, .lectures script').count(), 0);
  assert.equal(await page.locator('main img, main script, main b').count(), 0);
});
