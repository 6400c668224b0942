// The live page, which daemons carry (cmake/PageFiles.cmake) and serve.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here('live'),
  base: './',
  plugins: [svelte()],
  build: {
    outDir: here('../build/page/live'),
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0, // The page's policy takes nothing inline.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
