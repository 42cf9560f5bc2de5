import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { guide } from './guides';
import { accountPlaces, serverPlaces, settingsPlaces, sitePlaces, teamPlaces } from './places';

// goldmark's anchors of the headings of a page
function anchors(page: string): string[] {
  const raw = readFileSync(`../docs/${page}.md`, 'utf8');
  return [...raw.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
}

const server = { attributes: { type: 'app', database_type: 'mariadb1011', is_ready: true } } as never;
const site = { attributes: {} } as never;
const paths = [...serverPlaces(server), ...sitePlaces(site), ...settingsPlaces, ...teamPlaces, ...accountPlaces]
  .map((p) => p.to)
  .concat('/orgs/$org', '/orgs/$org/servers', '/orgs/$org/servers/new', '/orgs/$org/servers/archives', '/orgs/$org/sites', '/orgs/$org/recipes')
  .concat(['/domains/$id', ...['jobs', 'heartbeats', 'integrations'].map((p) => '/processes/' + p)].map((p) => '/orgs/$org/sites/$site' + p))
  .concat(['webhooks', 'script', 'source', 'packages'].map((p) => '/orgs/$org/sites/$site/deployments/' + p))
  .concat('/orgs/$org/servers/$server/backups/$id/$id/restore')
  .map((p) => p.replace('$org', 'main').replaceAll(/\$\w+/g, '7'));

test('each page has a guide, whose heading exists', () => {
  expect(paths.length).toBeGreaterThan(45);
  for (const path of paths) {
    const [page = '', anchor] = guide(path).to.replace('/docs/', '').split('#');
    expect(anchors(page).concat(''), path).toContain(anchor ?? '');
  }
});

test('a guide is of the part that is open', () => {
  expect(guide('/orgs/main/servers/2/firewall').text).toBe('Firewall');
  expect(guide('/orgs/main/sites/1/domains/4').text).toBe('Certificates');
  expect(guide('/orgs/main').to).toBe('/docs/dashboard#for-users');
  expect(guide('/account/tokens').to).toBe('/docs/api#first-steps');
});
