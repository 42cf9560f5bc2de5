// What is created for a site that gets a database of its own: the names, as the API makes them.

/** longest leaves room for a number in the shortest limit of any engine. */
const longest = 28;

/** databaseOf proposes the name of a database, or of an account for it, for a domain: shop_example_com. */
export function databaseOf(domain: string): string {
  return domain
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, longest);
}

/** free is a name that is not taken yet: shop_example_com, shop_example_com_2. */
export function free(name: string, taken: readonly string[]): string {
  for (let n = 1; ; n++) {
    const is = n > 1 ? `${name}_${n}` : name;
    if (!taken.includes(is)) return is;
  }
}
