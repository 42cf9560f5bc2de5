// What a pasted SSH key is, seen before it is sent.
import { t } from '@lingui/core/macro';

/** isPrivate reports whether a text has a private key in it: PEM, OpenSSH's own format with or without its frame, or PuTTY's. */
export function isPrivate(text: string): boolean {
  return /PRIVATE KEY|PuTTY-User-Key-File|Private-Lines:|b3BlbnNzaC1rZXktdjE/.test(text);
}

/** commentOf is the last part of a public key's line, which says whose it is; '' without one. */
export function commentOf(text: string): string {
  return /^(?:ssh-|ecdsa-|sk-)\S+\s+\S+\s+(\S.*)$/.exec(text.trim())?.[1]?.trim() ?? '';
}

/** privateKey is why a private key is refused. */
export const privateKey = t`This is a private key. It was not sent. Paste the public key instead: the file that ends in .pub.`;

/** Held is a key wherever it can log in: on several servers, or to several accounts of one. */
export interface Held<K> {
  fingerprint: string;
  name: string;
  keys: K[];
}

/** byFingerprint groups keys that are the same, in the order of their first ones. */
export function byFingerprint<K extends { attributes: { fingerprint: string; name: string } }>(keys: K[]): Held<K>[] {
  const found = new Map<string, Held<K>>();
  for (const k of keys) {
    const { fingerprint, name } = k.attributes;
    const held = found.get(fingerprint);
    if (held) held.keys.push(k);
    else found.set(fingerprint, { fingerprint, name, keys: [k] });
  }
  return [...found.values()];
}
