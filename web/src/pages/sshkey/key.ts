// What a pasted SSH key is, seen before it is sent.

/** isPrivate reports whether a text has a private key in it: PEM, OpenSSH's own format with or without its frame, or PuTTY's. */
export function isPrivate(text: string): boolean {
  return /PRIVATE KEY|PuTTY-User-Key-File|Private-Lines:|b3BlbnNzaC1rZXktdjE/.test(text);
}

/** commentOf is the last part of a public key's line, which says whose it is; '' without one. */
export function commentOf(text: string): string {
  return /^(?:ssh-|ecdsa-|sk-)\S+\s+\S+\s+(\S.*)$/.exec(text.trim())?.[1]?.trim() ?? '';
}
