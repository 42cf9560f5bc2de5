import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { catalogues, macros } from './texts.ts';

// compressed puts a .gz in the place of each script and style, so that the server compresses nothing itself and the program has them once. They are a
// little smaller with memLevel 7 than with 8.
const compressed: Plugin = {
  name: 'compressed',
  closeBundle(error?: Error) {
    if (error) throw error;
    for (const name of readdirSync('dist/assets')) {
      if (!/\.(js|css)$/.test(name)) continue;
      writeFileSync(`dist/assets/${name}.gz`, gzipSync(readFileSync(`dist/assets/${name}`), { level: 9, memLevel: 7 }));
      rmSync(`dist/assets/${name}`);
    }
  },
};

// early has the browser load the dashboard while it reads main.tsx, which asks for it once the language is there.
const early: Plugin = {
  name: 'early',
  transformIndexHtml: {
    order: 'post',
    handler: (_, { bundle = {} }) => {
      const start = Object.values(bundle).find((c) => c.type === 'chunk' && c.facadeModuleId?.endsWith('/src/start.tsx'));
      const files = start?.type === 'chunk' ? [start.fileName, ...start.imports.filter((f) => !(bundle[f] as { isEntry?: boolean }).isEntry)] : [];
      return files.map((file) => ({ tag: 'link', attrs: { rel: 'modulepreload', crossorigin: true, href: `/${file}` }, injectTo: 'head' as const }));
    },
  },
};

// fonts writes the rules of the dashboard's fonts into a file of their own, for the pages of the documentation.
const fonts: Plugin = {
  name: 'fonts',
  generateBundle: {
    order: 'post',
    handler(_, bundle) {
      const styles = Object.values(bundle).flatMap((f) => (f.type === 'asset' && f.fileName.endsWith('.css') ? [String(f.source)] : []));
      const source = styles.flatMap((css) => css.match(/@font-face\s*\{[^}]*\}/g) ?? []).join('\n');
      if (source) this.emitFile({ type: 'asset', fileName: 'fonts.css', source });
    },
  },
};

// The build goes where web.go embeds it from. Nothing is inlined: the content security policy allows files of our own only.
// The mode components builds their page instead, which maintainers and its test look at.
export default defineConfig(({ mode }) => ({
  plugins: [macros, catalogues, react(), tailwind(), early, fonts, ...(mode === 'components' ? [] : [compressed])],
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    emptyOutDir: false,
    // What the first load has already is not named with each page again.
    modulePreload: { polyfill: false, resolveDependencies: (_, files) => files.filter((f) => !/\/(button|index|jsx-runtime|useMatch|useNavigate)-/.test(f)) },
    reportCompressedSize: false,
    ...(mode === 'components' && { rollupOptions: { input: 'components.html' } }),
  },
  server: { proxy: { '/api': 'http://127.0.0.1:8080' } },
}));
