// Serves a folder on this machine only:  node page/serve.mjs FOLDER [PORT]
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize, resolve, sep } from 'node:path';

const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json',
};
const labPolicy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
// Of the documents' site, whose theme has scripts of its own in its pages. Even so nothing comes from elsewhere.
export const sitePolicy =
  "default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; worker-src 'self' blob:; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

// Port 0: any that is free. The promise is kept when it listens.
export function serve(folder, port = 0, policy = labPolicy) {
  const root = resolve(folder);
  const server = createServer(async (request, response) => {
    try {
      const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
      const file = join(root, normalize(path.endsWith('/') ? `${path}index.html` : path));
      if (!file.startsWith(root + sep)) throw new Error('outside');
      const bytes = await readFile(file);
      response.writeHead(200, {
        'Content-Type': types[extname(file)] ?? 'application/octet-stream',
        'Content-Security-Policy': policy,
        'X-Content-Type-Options': 'nosniff',
        'Referrer-Policy': 'no-referrer',
      });
      response.end(bytes);
    } catch {
      response.writeHead(404, { 'Content-Type': 'text/plain' });
      response.end('not found\n');
    }
  });
  return new Promise((listening, failed) => {
    server.on('error', failed);
    server.listen(port, '127.0.0.1', () => listening(server));
  });
}

if (process.argv[1]?.endsWith('serve.mjs')) {
  const port = Number(process.argv[3] ?? 8088);
  const isSite = process.argv[2].includes('site/html');
  const server = await serve(process.argv[2], port, isSite ? sitePolicy : labPolicy).catch((problem) => {
    console.error(`port ${port} cannot be had (${problem.code}); name another: ${isSite ? 'scripts/site serve' : './run page'} ${port + 1}`);
    process.exit(1);
  });
  console.log(`${isSite ? 'The site' : 'The laboratory'} is at http://127.0.0.1:${server.address().port}/ (Ctrl-C ends it)`);
}
