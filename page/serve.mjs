// Serves a folder on this machine only:  node page/serve.mjs FOLDER [PORT]
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize, resolve, sep } from 'node:path';

const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.wasm': 'application/wasm',
};
const policy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

// Port 0: any that is free. The promise is kept when it listens.
export function serve(folder, port = 0) {
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
  const server = await serve(process.argv[2], port).catch((problem) => {
    console.error(`port ${port} cannot be had (${problem.code}); name another: ./run page ${port + 1}`);
    process.exit(1);
  });
  console.log(`The laboratory is at http://127.0.0.1:${server.address().port}/ (Ctrl-C ends it)`);
}
