import { expect, test } from 'vitest';
import { type Language, paint } from './paint';

const texts: Record<Language, string> = {
  nginx: 'server {\n    listen 80; # plain\n    server_name shop.example.com;\n    root "/home/forge/shop";\n}\n',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: of a .env file
  env: '# comment\nAPP_NAME="My Shop"\nDB_PORT=3306\nURL=http://a:b@c/${PATH_OF}\nexport A=1\n\nhalf a line',
  shell: 'cd $HOSTLER_SITE_PATH\n# build\nif [ -f composer.json ]; then\n  composer install --no-dev "$@"\nfi\n',
  ini: '; limits\n[www]\npm.max_children = 7\n',
};
const kind = (language: Language, part: string) =>
  paint(language, texts[language])
    .flat()
    .find(([text]) => text.includes(part))?.[1];

test('no letter is lost', () => {
  for (const [language, text] of Object.entries(texts))
    expect(
      paint(language as Language, text)
        .map((line) => line.map(([t]) => t).join(''))
        .join('\n'),
    ).toBe(text);
});

test('each language is known', () => {
  expect(kind('nginx', '# plain')).toBe('comment');
  expect(kind('nginx', 'server')).toBe('keyword');
  expect(kind('nginx', '80')).toBe('number');
  expect(kind('nginx', '/home/forge')).toBe('text');
  expect(paint('nginx', 'location /api/* {\n  deny all;')[1]?.[1]).toEqual(['deny', 'keyword']);
  expect(kind('env', '# comment')).toBe('comment');
  expect(kind('env', 'APP_NAME')).toBe('name');
  expect(kind('env', '"My Shop"')).toBe('text');
  expect(kind('env', '3306')).toBe('number');
  expect(kind('env', 'http://a:b')).toBe('text');
  expect(kind('env', 'PATH_OF')).toBe('name');
  expect(kind('shell', '# build')).toBe('comment');
  expect(kind('shell', 'if')).toBe('keyword');
  expect(kind('ini', '; limits')).toBe('comment');
  expect(kind('ini', 'pm.max_children')).toBe('name');
});

test('hostile text ends', () => {
  for (const language of Object.keys(texts) as Language[])
    for (const text of ["'", '"', '\\', '${', '[', '<<EOF', '#{', '\u2028', '='.repeat(500)]) expect(paint(language, `${text}\n${text}`)).toHaveLength(2);
});
