// Every main screen in light, dark and on a phone: a picture of each, no violation that axe knows, nothing wider than the screen.
import { createRequire } from 'node:module';
import { context, main, signIn, stage, step, want } from './lib.mjs';

const require = createRequire(new URL('../../web/package.json', import.meta.url));
const { AxeBuilder } = require('@axe-core/playwright');

const mostScript = 150_000; // bytes of gzipped JavaScript at the first load
const firstPaint = 1_000; // milliseconds

const org = '/orgs/main';
const screens = {
  home: org,
  activity: org + '/activity',
  servers: org + '/servers',
  'server-new': org + '/servers/new',
  server: org + '/servers/2',
  'server-sites': org + '/servers/2/sites',
  'server-jobs': org + '/servers/2/jobs',
  firewall: org + '/servers/2/firewall',
  events: org + '/servers/2/events',
  event: org + '/servers/2/events/2',
  'server-settings': org + '/servers/2/settings',
  sites: org + '/sites',
  'site-new': org + '/sites/new',
  site: `${org}/sites/${stage.site}`,
  deployments: `${org}/sites/${stage.site}/deployments`,
  deployment: `${org}/sites/${stage.site}/deployments/${stage.deployment}`,
  'deployment-failed': `${org}/sites/${stage.site}/deployments/${stage.failed}`,
  'deploy-script': `${org}/sites/${stage.site}/deployments/script`,
  'deploy-source': `${org}/sites/${stage.site}/deployments/source`,
  environment: `${org}/sites/${stage.site}/environment`,
  domains: `${org}/sites/${stage.site}/domains`,
  domain: `${org}/sites/${stage.site}/domains/${stage.domain}`,
  redirects: `${org}/sites/${stage.site}/redirects`,
  security: `${org}/sites/${stage.site}/security`,
  commands: `${org}/sites/${stage.site}/commands`,
  command: `${org}/sites/${stage.site}/commands/1`,
  nginx: `${org}/sites/${stage.site}/nginx`,
  packages: `${org}/sites/${stage.site}/deployments/packages`,
  webhooks: `${org}/sites/${stage.site}/deployments/webhooks`,
  webhook: `${org}/sites/${stage.site}/deployments/webhooks/1`,
  processes: `${org}/sites/${stage.site}/processes`,
  process: `${org}/sites/${stage.site}/processes/1`,
  jobs: `${org}/sites/${stage.site}/processes/jobs`,
  heartbeats: `${org}/sites/${stage.site}/processes/heartbeats`,
  integrations: `${org}/sites/${stage.site}/processes/integrations`,
  logs: `${org}/sites/${stage.site}/logs`,
  'logs-application': `${org}/sites/${stage.site}/logs/application`,
  'server-logs': org + '/servers/2/logs',
  recipes: org + '/recipes',
  recipe: `${org}/recipes/1`,
  'recipe-new': org + '/recipes/new',
  'recipe-run': `${org}/recipes/1/runs/1`,
  templates: org + '/servers/2/templates',
  'template-new': org + '/servers/2/templates/new',
  template: org + '/servers/2/templates/1',
  accounts: org + '/settings/accounts',
  git: org + '/settings/git',
  dns: org + '/settings/dns',
  notifications: org + '/settings/notifications',
  channel: `${org}/settings/notifications/1`,
  databases: org + '/servers/3/databases',
  backups: org + '/servers/3/backups',
  backup: org + '/servers/3/backups/1',
  'backup-new': org + '/servers/3/backups/new',
  restore: org + '/servers/3/backups/1/1/restore',
  storage: org + '/settings/storage',
  balancing: org + '/sites/2/balancing',
  'site-settings': `${org}/sites/${stage.site}/settings`,
  people: org + '/team',
  teams: org + '/team/teams',
  roles: org + '/team/roles',
  settings: org + '/settings',
  programs: org + '/settings/programs',
  audit: org + '/settings/audit',
  account: '/account',
  sessions: '/account/sessions',
  tokens: '/account/tokens',
  log: '/account/log',
};
const over = {
  'rule-dialog': [org + '/servers/2/firewall', (p) => p.getByRole('button', { name: 'Add rule' }).click()],
  'delete-dialog': [org + '/servers/2/settings', (p) => p.getByRole('button', { name: 'Delete server' }).click()],
  'certificate-dialog': [`${org}/sites/${stage.site}/domains/${stage.domain}`, (p) => p.getByRole('button', { name: 'Request certificate' }).first().click()],
  'redirect-dialog': [`${org}/sites/${stage.site}/redirects`, (p) => p.getByRole('button', { name: 'Add redirect' }).click()],
  'import-dialog': [`${org}/sites/${stage.site}/redirects`, (p) => p.getByRole('button', { name: 'Import' }).click()],
  'security-dialog': [`${org}/sites/${stage.site}/security`, (p) => p.getByRole('button', { name: 'Protect path' }).click()],
  'database-dialog': [org + '/servers/3/databases', (p) => p.getByRole('button', { name: 'New database' }).click()],
  'account-dialog': [org + '/servers/3/databases', (p) => p.getByRole('button', { name: 'New user' }).click()],
  'process-dialog': [`${org}/sites/${stage.site}/processes`, (p) => p.getByRole('button', { name: 'New process' }).click()],
  'job-dialog': [`${org}/sites/${stage.site}/processes/jobs`, (p) => p.getByRole('button', { name: 'New job' }).click()],
  'heartbeat-dialog': [`${org}/sites/${stage.site}/processes/heartbeats`, (p) => p.getByRole('button', { name: 'New heartbeat' }).click()],
  'webhook-dialog': [`${org}/sites/${stage.site}/deployments/webhooks`, (p) => p.getByRole('button', { name: 'Add webhook' }).click()],
  'delivery-dialog': [`${org}/settings/notifications/1`, (p) => p.getByRole('button', { name: /^Details of/ }).first().click()],
  'channel-dialog': [org + '/settings/notifications', (p) => p.getByRole('button', { name: 'Add channel' }).click()],
  'run-dialog': [`${org}/recipes/1`, (p) => p.getByRole('button', { name: 'Run on servers' }).click()],
  'reboot-dialog': [org + '/servers/2/settings', (p) => p.getByRole('button', { name: 'Reboot' }).click()],
  'account-new-dialog': [org + '/settings/accounts', (p) => p.getByRole('button', { name: 'Connect an account' }).click()],
  'git-dialog': [org + '/settings/git', (p) => p.getByRole('button', { name: 'Connect a provider' }).click()],
  'storage-dialog': [org + '/settings/storage', (p) => p.getByRole('button', { name: 'Connect storage' }).click()],
  'environment-open': [`${org}/sites/${stage.site}/environment`, (p) => p.getByRole('button', { name: 'Show and edit' }).click()],
  palette: [org, (p) => p.keyboard.press('Control+k')],
  shortcuts: [org, (p) => p.keyboard.press('?')],
  'invite-dialog': [org + '/team', (p) => p.getByRole('button', { name: 'Invite', exact: true }).click()],
  'token-dialog': ['/account/tokens', (p) => p.getByRole('button', { name: 'New token' }).click()],
  'not-found': [org + '/nothing', () => undefined],
};
const looks = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
};

async function settled(page) {
  await page.waitForLoadState('load');
  await page.locator('h1, h2').first().waitFor();
  await page.waitForFunction(() => !document.querySelector('[aria-label=Loading]') && document.getAnimations().every((a) => a.playState !== 'running' || a.effect.getTiming().iterations === Infinity));
}

/** overlaps are the things to press that lie on each other, where somebody would press the wrong one. */
function overlaps() {
  const top = document.querySelector('[role=dialog]') ?? document.querySelector('main') ?? document.body;
  const seen = (e) => { // what of it is not cut off by something that scrolls
    let { left, right, top, bottom } = e.getBoundingClientRect();
    for (let box = e.parentElement; box; box = box.parentElement) {
      if (getComputedStyle(box).overflow === 'visible') continue;
      const r = box.getBoundingClientRect();
      [left, right, top, bottom] = [Math.max(left, r.left), Math.min(right, r.right), Math.max(top, r.top), Math.min(bottom, r.bottom)];
    }
    return { left, right, top, bottom };
  };
  const all = [...top.querySelectorAll('button, a[href], input, select, textarea')].filter((e) => e.checkVisibility()).map((e) => [e, seen(e)]);
  const found = [];
  all.forEach(([e, a], i) => all.slice(i + 1).forEach(([f, b]) => {
    const [wide, high] = [Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)];
    if (wide > 3 && high > 3 && !e.contains(f) && !f.contains(e)) found.push(`${e.innerText || e.name} and ${f.innerText || f.name} lie on each other`);
  }));
  return found;
}

const wrong = [];
// What axe judges is the same on a phone, but for these, which are laid out in another way there.
const onPhone = ['sign-in', 'home', 'servers', 'firewall', 'balancing', 'rule-dialog', 'deployments', 'deployment', 'backup', 'redirects', 'domain', 'logs', 'processes', 'notifications', 'recipe', 'recipe-run', 'template', 'run-dialog'];

async function look(page, name) {
  await settled(page);
  await page.screenshot({ path: `${stage.shots}/${name}.png` });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (wide > 0) wrong.push(`${name}: ${wide} pixels wider than the screen`);
  for (const pair of await page.evaluate(overlaps)) wrong.push(`${name}: ${pair}`);
  if (name.endsWith('-phone') && !onPhone.includes(name.replace('-phone', ''))) return;
  const found = await new AxeBuilder({ page }).analyze();
  for (const v of found.violations) wrong.push(`${name}: ${v.id}: ${v.help}\n` + v.nodes.slice(0, 4).map((n) => `    ${n.target} ${n.failureSummary?.split('\n').slice(1, 3).join(' ')}`).join('\n'));
}

await main(async (browser) => {
  // the weight and the speed of a first visit
  {
    const c = await context(browser);
    const page = await c.newPage();
    await signIn(page);
    const fresh = await context(browser, { storageState: await c.storageState() });
    const visit = await fresh.newPage();
    await visit.goto(stage.url + org);
    await settled(visit);
    const script = await visit.evaluate(() => performance.getEntriesByType('resource').filter((r) => /\.js(\?|$)/.test(r.name)).reduce((n, r) => n + r.encodedBodySize, 0));
    const paint = await visit.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime);
    step(`first load: ${script} bytes of gzipped JavaScript, first contentful paint after ${Math.round(paint)} ms`);
    want(script > 20_000 && script <= mostScript, `the first load takes ${script} bytes of JavaScript, and may take ${mostScript}`);
    want(paint < firstPaint * (process.env.CI ? 3 : 1) || process.env.HOSTLER_SLOW, `the first contentful paint came after ${paint} ms`);
    await c.close();
    await fresh.close();
  }
  const only = process.env.HOSTLER_LOOKS?.split(',');
  for (const [theme, options] of Object.entries(looks).filter(([name]) => !only || only.includes(name))) {
    const c = await context(browser, options);
    const page = await c.newPage();
    await page.goto(stage.url + '/sign-in');
    await look(page, `sign-in-${theme}`);
    await page.goto(stage.url + '/forgot-password');
    await look(page, `forgot-${theme}`);
    await signIn(page);
    for (const [name, path] of Object.entries(screens)) {
      await page.goto(stage.url + path);
      await look(page, `${name}-${theme}`);
    }
    for (const [name, [path, open]] of Object.entries(over)) {
      await page.goto(stage.url + path);
      await settled(page);
      await open(page);
      if (!/-open$|^not-found$/.test(name)) await page.getByRole('dialog').waitFor();
      await look(page, `${name}-${theme}`);
    }
    await c.close();
    step(`${theme}: ${Object.keys(screens).length + Object.keys(over).length + 2} screens`);
  }
  want(wrong.length === 0, wrong.join('\n'));
});
