// Debian's chromium, started for a test.
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

export function launch() {
  const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);
  return chromium.launch({ executablePath, args: process.getuid() === 0 ? ['--no-sandbox'] : [] }); // Root has no sandbox there.
}
