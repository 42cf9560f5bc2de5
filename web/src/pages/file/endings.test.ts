import { expect, test } from 'vitest';
import { fromField, toField } from './endings';

test('lines that were not edited keep their ends', () => {
  for (const text of ['', 'a', 'a\n', 'a\r\nb\r\n', 'a\r\nb\nc\rd', '\ufeff<?php\r\n', '\n\n', '\r\n', 'x\ufeffy', 'a\r\n\n\r'])
    expect(fromField(text, toField(text))).toBe(text);
});

test('a field has line feeds and no mark', () => {
  expect(toField('\ufeffa\r\nb\rc\nd')).toBe('a\nb\nc\nd');
});

test('new lines end as most of the file does, and others keep their ends', () => {
  expect(fromField('a\r\nb\r\n', 'a\nx\nb\n')).toBe('a\r\nx\r\nb\r\n');
  expect(fromField('a\r\nb\nc\r\nd', 'a\nb\nnew\nc\nd')).toBe('a\r\nb\nnew\r\nc\r\nd');
  expect(fromField('a\nb\n', 'a\nb\nc')).toBe('a\nb\nc');
  expect(fromField('a', 'a\nb')).toBe('a\nb');
  expect(fromField('a\r\nb', '')).toBe('');
  expect(fromField('\ufeffa', 'b')).toBe('\ufeffb');
});
