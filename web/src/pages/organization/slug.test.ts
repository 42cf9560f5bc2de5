import { expect, test } from 'vitest';
import { slugOf } from './slug';

// The names are those of reports about other tools: Cadasta/cadasta-platform#327, QuackbackIO/quackback#285, speakeasy-api/gram#5039.
test.each([
  ['Acme', 'acme'],
  ['  Müller & Söhne GmbH  ', 'muller-sohne-gmbh'],
  ['Straße 7', 'strasse-7'],
  ["O'Brien’s", 'obriens'],
  ['Ærø Łódź', 'aero-lodz'],
  ['東京プロジェクト', ''],
  ['東京プロジェクト2', '2'],
  ['-----', ''],
  ['- _ -', ''],
  ['🏗', ''],
  ['a'.repeat(80), 'a'.repeat(63)],
  ['x'.repeat(62) + ' tail', 'x'.repeat(62)],
])('the slug of %j is %j', (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});
