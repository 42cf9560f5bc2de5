/** slugOf proposes the slug of a name: what is left of it in lower-case letters, digits and dashes. Nothing is left of names in other scripts. */
export function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/[æœ]/g, (l) => (l === 'æ' ? 'ae' : 'oe'))
    .replace(/ø/g, 'o')
    .replace(/ł/g, 'l')
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replace(/^-+|-+$/g, '');
}
