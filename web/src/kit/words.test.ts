import { expect, test } from 'vitest';
import { because, named } from './words';

test('an error names its field as the form does', () => {
  const size = 'hetzner.size_id';
  expect(named(`The ${size} field is required for this provider.`, size, 'Size')).toBe('Required for this provider.');
  expect(named(`The ${size} field is required for this provider.`, size)).toBe('Size is required for this provider.');
  expect(named('The max_upload_size must not be more than 4096.', 'max_upload_size', 'Maximum upload size (MB)')).toBe(
    'Maximum upload size must not be more than 4096.',
  );
  expect(named('The database_type field is required when there is a database.', 'database', 'Database')).toBe(
    'Database type is required when there is a database.',
  );
  expect(named('The custom.ip_address must be an IPv4 or IPv6 address.', 'custom.ip_address')).toBe('IP address must be an IPv4 or IPv6 address.');
  expect(named('The servers.0.id field is required.', 'servers.0.id')).toBe('Servers is required.');
});

test('the reason of a failure is a sentence', () => {
  expect(because('Script: exit status 3.')).toBe('The script exited with status 3.');
  expect(because('The disk is full.')).toBe('The disk is full.');
});

test('other sentences are not changed', () => {
  for (const text of ['The provider has no size "cx99" in this region.', 'The key is not encrypted.', 'The account forge has this key already.'])
    expect(named(text, 'name', 'Name')).toBe(text);
});
