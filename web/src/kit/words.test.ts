import { expect, test } from 'vitest';
import { named, type Problem } from './words';

// The sentence is one that nothing can be read from: a form speaks from what the codes say.
const of = (field: string, says: string, code = 'invalid'): Problem => ({ text: code, code, field, says });

test('an error names its field as the form does', () => {
  const size = 'hetzner.size_id';
  const required = of(size, 'is required for this provider.', 'required');
  expect(named(required, size, 'Size')).toBe('Required for this provider.');
  expect(named(required, size)).toBe('Size is required for this provider.');
  expect(named(of('max_upload_size', 'must not be more than 4096.'), 'max_upload_size', 'Maximum upload size (MB)')).toBe(
    'Maximum upload size must not be more than 4096.',
  );
  expect(named(of('database_type', 'is required when there is a database.', 'required'), 'database', 'Database')).toBe(
    'Database type is required when there is a database.',
  );
  expect(named(of('custom.ip_address', 'must be an IPv4 or IPv6 address.'), 'custom.ip_address')).toBe('IP address must be an IPv4 or IPv6 address.');
  expect(named(of('servers.0.id', 'is required.', 'required'), 'servers.0.id')).toBe('Servers is required.');
});

test('other sentences are not changed', () => {
  expect(named({ text: 'The provider has no size "cx99" in this region.', code: 'invalid' }, 'name', 'Name')).toBe(
    'The provider has no size "cx99" in this region.',
  );
  expect(named({ ...of('account', 'has this key already.', 'taken'), text: 'The account has this key already.' }, 'name', 'Name')).toBe(
    'The account has this key already.',
  );
});
