import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCompiledCatalog, getCatalogs } from '@lingui/cli/api';
import { getConfig } from '@lingui/conf';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, expect, test } from 'vitest';
import { choose, i18n, Trans, translate } from './src/kit/language';
import { catalogue, parse } from './texts';
import { unwrapped } from './wrapped';

const config = getConfig();
afterEach(() => translate({}));

test('the catalogue is what the sources say', { timeout: 120_000 }, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'catalogue-'));
  try {
    await cp('src/locales/en.po', join(dir, 'en.po'));
    const [texts] = await getCatalogs({ ...config, catalogs: [{ ...config.catalogs![0]!, path: join(dir, '{locale}') }] });
    await texts!.make({ clean: true, overwrite: true, orderBy: config.orderBy } as never);
    expect(readFileSync(join(dir, 'en.po'), 'utf8') === readFileSync('src/locales/en.po', 'utf8'), 'npm run catalogue').toBe(true);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('no text goes on where another one ended', () => {
  const found = [...readFileSync('src/locales/en.po', 'utf8').matchAll(/^msgid ((?:"(?:[^"\\]|\\.)*"\n)+)/gm)];
  const texts = found.map(([, lines = '']) =>
    lines
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as string)
      .join(''),
  );
  expect(texts.length).toBeGreaterThan(1000);
  expect(texts.filter((text) => /^[\s,;:·.](?![a-z])|\s$/.test(text))).toEqual([]); // .env is a name
});

test('each text that people read is in a macro', { timeout: 120_000 }, () => {
  expect(unwrapped('src')).toEqual([]);
});

test('what is not in a macro is found', () => {
  const found = (code: string) => unwrapped('src', { 'a.tsx': code }).map((line) => line.replace(/^.*?: /, ''));
  expect(found('<p>Saved</p>')).toEqual(['Saved']);
  expect(found('<p><Trans>Saved</Trans></p>')).toEqual([]);
  expect(found('<Input label="Name" name="name" placeholder="203.0.113.10" className="Flex grid" />')).toEqual(['Name']);
  expect(found('<Input label={on ? "on" : t`off`} />')).toEqual(['on']);
  expect(found("const a = { text: 'Add server', needs: 'server:create' }; const b = [`Delete ${" + 'name}?`, t`Delete ${' + 'name}?`];')).toEqual([
    'Add server',
    'Delete …?',
  ]);
  expect(found("import a from 'A b'; type A = 'One two'; if (e.key === 'Enter') cli(`hostler sites add ${" + 'name}`);')).toEqual([]);
});

test('a language is the first wanted that there is', () => {
  expect(choose(['de-AT', 'en'], ['de', 'fr'])).toBe('de');
  expect(choose(['pt-BR', 'fr'], ['fr', 'pt-BR'])).toBe('pt-BR');
  expect(choose(['en-GB', 'de'], ['de'])).toBe('en');
  expect(choose(['ja'], ['de'])).toBe('en');
});

test('a catalogue is found by the English text, or by its id where it has a context', async () => {
  const po = [
    'msgid ""\nmsgstr ""\n"Language: de\\n"',
    'msgid "Save"\nmsgstr "Speichern"',
    'msgid "{name} has {n, plural, one {# site} other {# sites}}"\nmsgstr "{n, plural, one {# Seite} other {# Seiten}}: {name}"',
    'msgid "Read <0>the log</0>."\nmsgstr "<0>Das Protokoll</0> lesen."',
    'msgid "Not yet"\nmsgstr ""',
    'msgctxt "verb"\nmsgid "Open"\nmsgstr "Öffnen"',
  ];
  translate((await catalogue(po.join('\n\n'), 'de')) as never);
  const sites = parse('{name} has {n, plural, one {# site} other {# sites}}') as never;
  expect(i18n._('Save')).toBe('Speichern');
  expect([1, 1200].map((n) => i18n._(sites, { name: 'web-1', n }))).toEqual(['1 Seite: web-1', '1,200 Seiten: web-1']);
  expect(i18n._('Not yet')).toBe('Not yet');
  expect(i18n._('Open')).toBe('Open');
  expect(renderToStaticMarkup(createElement(Trans, { message: 'Read <0>the log</0>.', components: { 0: createElement('b') } }))).toBe(
    '<b>Das Protokoll</b> lesen.',
  );
});

test('a value is never read as an element', () => {
  const message = parse('Delete {name}? <0/>') as never;
  const text = createElement(Trans, { message, values: { name: '<0>x</0> & </b>' }, components: { 0: createElement('br') } });
  expect(renderToStaticMarkup(text)).toBe('Delete &lt;0&gt;x&lt;/0&gt; &amp; &lt;/b&gt;? <br/>');
});

test('a screen is in another language, here a made-up one', { timeout: 120_000 }, async () => {
  const [texts] = await getCatalogs(config);
  const english = (await texts!.read('en'))!;
  const messages = Object.fromEntries(Object.entries(english).map(([id, e]) => [id, e.message!]));
  const { source, errors } = createCompiledCatalog('pseudo', messages, { pseudoLocale: 'pseudo', namespace: 'json' });
  expect(errors).toEqual([]);
  const pseudo = (JSON.parse(source) as { messages: Record<string, never> }).messages;
  const key = (text: string) => ((of) => (typeof of === 'string' ? of : JSON.stringify(of)))(parse(text));
  translate(Object.fromEntries(Object.entries(messages).map(([id, text]) => [key(text), pseudo[id]!])));
  const { SelectionBar } = await import('./src/kit/selection');
  const row = { id: '1' };
  const selection = { chosen: new Map([['1', row]]), clear: () => {}, all: () => {} };
  const html = renderToStaticMarkup(createElement(SelectionBar as never, { of: selection, rows: [row], one: 'server' }));
  expect(html).toContain('1 śēŕvēŕ śēĺēćţēď');
  expect(html).not.toMatch(/>[^<]*(selected|Clear)[^<]*</);
});
