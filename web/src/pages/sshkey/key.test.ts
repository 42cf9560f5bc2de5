import { expect, test } from 'vitest';
import { byFingerprint, commentOf, isPrivate } from './key';

const body = 'b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZWQyNTUxOQ';
const open = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExPa0b4Yx ada@laptop of the office';

test('private keys are recognized in each of their formats', () => {
  expect(isPrivate(`-----BEGIN OPENSSH PRIVATE KEY-----\n${body}\n-----END OPENSSH PRIVATE KEY-----`)).toBe(true);
  expect(isPrivate('-----BEGIN RSA PRIVATE KEY-----\nMIIE')).toBe(true);
  expect(isPrivate('-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIE')).toBe(true);
  expect(isPrivate(body)).toBe(true);
  expect(isPrivate('PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none')).toBe(true);
  expect(isPrivate(open)).toBe(false);
  expect(isPrivate('')).toBe(false);
});

test('the comment of a public key is what follows its base64', () => {
  expect(commentOf(open)).toBe('ada@laptop of the office');
  expect(commentOf('  ecdsa-sha2-nistp256 AAAAE2Vj grace\n')).toBe('grace');
  expect(commentOf('ssh-ed25519 AAAAC3Nz')).toBe('');
  expect(commentOf('hello there you')).toBe('');
});

test('keys that are the same are one, wherever they are and whatever they are called there', () => {
  const key = (id: number, fingerprint: string, name: string) => ({ id, attributes: { fingerprint, name } });
  const all = [key(1, 'SHA256:a', 'laptop'), key(2, 'SHA256:b', 'laptop'), key(3, 'SHA256:a', 'old laptop')];
  expect(byFingerprint(all)).toEqual([
    { fingerprint: 'SHA256:a', name: 'laptop', keys: [all[0], all[2]] },
    { fingerprint: 'SHA256:b', name: 'laptop', keys: [all[1]] },
  ]);
});
