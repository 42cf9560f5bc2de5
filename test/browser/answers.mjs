// Answers that the description allows: a document for each request, with what it says of its fields, for screens that are shown without a panel.

/** said are the values of fields, by their names, that screens tell apart and the description leaves open. */
const said = {
  status: 'installed', type: 'app', database_type: 'mysql8', database_engine: 'mysql8', connection_status: 'successful', php_version: 'php84', version: 'php84',
  next_cursor: null, prev_cursor: null, next: null, prev: null, last: null, ip_address: '192.0.2.1', provider: 'custom', slug: 'main',
  email: 'ada@example.com', url: 'https://example.com/hook', is_ready: true, revoked: false, connected: true, enabled: true, active: true, can_create_organizations: true,
  frequency: 'daily', role: 'owner',
};
const empty = /^(operation|error|failed|refused|deleted|ended|finished|drift|warning|reason|archive|removing|problem|transfer|expires|retired|stale|shown_once|upgrade|first_steps)/;

/** rare are values of fields that show what the usual ones hide: what is off, what a list has none of, and what a backup holds. */
const rare = {
  enabled: false,
  balancer: null,
  objects: [{ kind: 'database', name: 'main', status: 'stored', database_id: 1, bytes: 1 }],
};
const rareLists = [[/\/teams\/\d+\/(servers|recipes)$/, []], [/\/redirect-rules$/, ['1', '2']]];

export function answers(description) {
  const schemas = description.components.schemas;
  const permissions = new Set(JSON.stringify(description).match(/[a-z-]+:(?:view|manage|create|delete|[a-z-]+)(?=[" ])/g));
  const at = (ref) => schemas[ref.split('/').pop()];

  function value(schema, name, edition, deep) {
    if (!schema || deep > 12) return null;
    if (edition.rare && name in rare) return rare[name];
    if (edition.rare && name.endsWith('_installed')) return true;
    if (name in said) return said[name];
    if (name === 'permissions') return [...permissions];
    if (schema.$ref) return value(at(schema.$ref), name, edition, deep + 1);
    const types = [schema.type].flat();
    if (schema.allOf) return Object.assign({}, ...schema.allOf.map((s) => value(s, name, edition, deep + 1)));
    const one = (schema.anyOf ?? schema.oneOf)?.find((s) => s.type !== 'null');
    if (one) return value(one, name, edition, deep + 1);
    if (empty.test(name) && types.includes('null')) return null;
    if ('const' in schema) return schema.const;
    if (schema.enum) return schema.enum.find((v) => v) ?? schema.enum[0];
    if (types.includes('object') || schema.properties)
      return Object.fromEntries(Object.entries(schema.properties ?? {}).filter(([n]) => !(empty.test(n) && !(schema.required ?? []).includes(n))).map(([n, s]) => [n, value(s, n, edition, deep + 1)]));
    if (types.includes('array')) return schema.items && Object.keys(schema.items).length ? [value(schema.items, name, edition, deep + 1)] : [];
    if (types.includes('boolean')) return false;
    if (types.includes('integer') || types.includes('number')) return Math.max(schema.minimum ?? 1, 1);
    if (schema.format === 'date-time' || name.endsWith('_at')) return '2031-01-02T03:04:05Z';
    if (schema.format === 'date') return '2031-01-02';
    if (name === 'id' || name.endsWith('_id')) return '1';
    return `${name}${edition.nth || ''}`;
  }

  const paths = Object.entries(description.paths).map(([path, of]) => [new RegExp('^' + path.replace(/\{\w+\}/g, '[^/]+') + '$'), of, (path.match(/\{/g) ?? []).length]).sort((a, b) => a[2] - b[2]);
  /** edition has nth, how often everything was changed, and whether the answers are the rare ones. */
  return (method, path, edition) => {
    const found = paths.find(([p, of]) => p.test(path) && of[method.toLowerCase()]);
    if (!found) return { status: method === 'GET' ? 404 : 200, body: { message: 'Not found.' } };
    const responses = found[1][method.toLowerCase()].responses;
    const status = Object.keys(responses).find((s) => s < 300);
    const content = Object.values(responses[status].content ?? {})[0];
    const body = content && value(content.schema, '', edition, 0);
    const [, ids] = (edition.rare && method === 'GET' && rareLists.find(([p]) => p.test(path))) || [];
    if (ids) body.data = ids.map((id) => ({ ...body.data[0], id }));
    return { status: Number(status), body };
  };
}
