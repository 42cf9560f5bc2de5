// What a change makes stale: what belongs to its server or site, and the lists of the organization that show it.
const lists = new Set(['servers', 'sites', 'events', 'attention', 'checklist', 'recipes']);

/**
 * touched returns which reads, by the beginnings of their keys, a write to an address makes stale. A write below a server leaves alone what belongs to other
 * servers and the settings of the organization; any other may change what each page shows, such as a person's permissions.
 */
export function touched(url: string): (key: string) => boolean {
  const [, orgs, org, servers, server] = url
    .replace(/^\/api/, '')
    .split('?')[0]!
    .split('/');
  if (orgs !== 'orgs' || servers !== 'servers' || !/^\d+$/.test(server ?? '')) return () => true;
  return (key) => {
    const [, a, b, c, d] = key.replace(/^ask:/, '').split('/');
    if (a === 'attention') return true; // of all organizations
    if (a !== 'orgs' || b !== org) return false;
    if (c === 'servers' && d && /^\d+$/.test(d)) return d === server;
    return lists.has(c ?? '');
  };
}
