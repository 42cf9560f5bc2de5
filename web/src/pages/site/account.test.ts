import { expect, test } from 'vitest';
import { databaseOf, free } from './account';

test('a database and its account are named after the domain, as the API names them', () => {
  expect(databaseOf('shop.example.com')).toBe('shop_example_com');
  expect(databaseOf(' Shop-2.Example.com ')).toBe('shop_2_example_com');
  expect(databaseOf('a-very-long-name-of-a-shop.example.com')).toBe('a_very_long_name_of_a_shop_e');
  expect(databaseOf('')).toBe('');
});

test('a name that is taken gets a number', () => {
  expect(free('shop', [])).toBe('shop');
  expect(free('shop', ['shop', 'shop_2'])).toBe('shop_3');
});
