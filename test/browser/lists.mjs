// Every list at the widths of a phone, of tablets and of small laptops: a table except on the phone, nothing wider than the screen, no name cut to a few letters, no cell over another.
// Read forty days after its rows were made, so that every time in it is written at its longest.
import { api, context, main, owner, signIn, stage, step, want } from './lib.mjs';

const widths = [700, 768, 820, 1024, 1100, 1280, 390];
const cardsBelow = 700; // where a row may be a card
const org = '/orgs/main';

/** more adds rows to lists where an installation without servers has none. */
async function more(page) {
  const sites = (await api(page, 'get', org + '/sites?include=server')).body.data;
  const site = sites[0];
  const at = `${org}/servers/${site.relationships.server.data.id}`;
  const on = `${at}/sites/${site.id}`;
  if (!stage.hosts) {
    const add = async (path, body) => {
      const a = await api(page, 'post', path, body);
      want(a.status < 300, `${path} is answered ${a.status}: ${JSON.stringify(a.body)}`);
    };
    await add(`${at}/sites`, { type: 'static-html', name: 'a-rather-long-name-of-a-site.staging.agency.example.com' });
    await add(`${at}/firewall-rules`, { name: 'Metrics of the office in Berlin', port: '9100', type: 'allow', ip_address: '203.0.113.0/24' });
    await add(`${at}/ssh-keys`, { name: 'Laptop of the office in Berlin', key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICAhIiMkJSYnKCkqKywtLi8wMTIzNDU2Nzg5Ojs8PT4/ office' });
    await add(`${at}/monitors`, { type: 'disk', operator: 'gte', threshold: 80, notify: 'ops@example.com' });
    await add(`${on}/redirect-rules`, { from: '/an/old/address/of/the/shop', to: '/a/new/address/of/the/shop', type: 'permanent' });
    await add(`${on}/security-rules`, { name: 'Staging', path: '/admin', credentials: [{ username: 'office', password: 'geheim-geheim' }] });
    await add(`${on}/heartbeats`, { name: 'Nightly import of all products', frequency: -1, custom_frequency: '30 3 * * *', grace_period: 10 });
    await add(`${on}/scheduled-jobs`, { name: 'Nightly import of all products', command: 'php artisan import', user: 'forge', frequency: 'nightly' });
    await add(`${at}/background-processes`, { name: 'queue of the shop', command: 'sleep 1000', user: 'forge', processes: 1, site_id: Number(site.id) });
    await add(`${on}/webhooks`, { url: 'https://hooks.example.com/services/a/rather/long/address' });
    await add(`${org}/recipes`, { name: 'Install monitoring agent', user: 'root', script: 'uptime' });
    await add(`${org}/teams`, { name: 'Agency for the shop' });
    await add(`${org}/roles`, { name: 'Deploys only', permissions: ['server:view'] });
    await add('/user/tokens', { name: 'Deployments of the shop', scopes: ['server:view'], password: owner.password });
  }
  const u = `${org}/sites/${site.id}`;
  const s = at;
  return [org, `${org}/activity`, `${org}/servers`, `${org}/servers/archives`, `${s}/sites`, `${s}/databases`, `${s}/backups`, `${s}/jobs`, `${s}/services`, `${s}/monitors`,
    `${s}/firewall`, `${s}/network`, `${s}/ssh-keys`, `${s}/php`, `${s}/events`, `${s}/templates`, `${org}/sites`, `${u}/deployments`, `${u}/domains`, `${u}/redirects`, `${u}/security`, `${u}/processes`,
    `${u}/processes/jobs`, `${u}/processes/heartbeats`, `${u}/deployments/webhooks`, `${u}/deployments/packages`, `${u}/commands`, `${org}/recipes`, `${org}/team`,
    `${org}/team/teams`, `${org}/team/roles`, `${org}/team/ssh-access`, `${org}/settings/storage`, `${org}/settings/git`, `${org}/settings/dns`, `${org}/settings/accounts`,
    `${org}/settings/notifications`, `${org}/settings/programs`, `${org}/settings/audit`, '/account/sessions', '/account/tokens', '/account/log'];
}

/** wrong is what can't be read of the lists of a page. */
const wrong = (page) => page.evaluate((cardsBelow) => {
  const found = [];
  const over = document.documentElement.scrollWidth - innerWidth;
  if (over > 0) found.push(`${over} px wider than the screen`);
  for (const table of document.querySelectorAll('[role=table]')) {
    if (innerWidth >= cardsBelow && table.querySelector('.sr-only [role=columnheader]')) found.push(`${table.getAttribute('aria-label')}: its rows are cards`);
    for (const row of table.querySelectorAll('[data-index]')) {
      const cells = [...row.querySelectorAll(':scope > [role=cell]')];
      const name = table.getAttribute('aria-label') + ': ' + row.innerText.slice(0, 40).replaceAll('\n', ' ');
      const first = cells.find((e) => e.innerText.trim());
      for (const e of first ? [first, ...first.querySelectorAll('.truncate')] : []) {
        if (e.scrollWidth > e.clientWidth + 1 && e.clientWidth < 110) found.push(`${name}: its name has ${e.clientWidth} px`);
      }
      const cards = getComputedStyle(row).gridTemplateColumns.split(' ').length === 1;
      for (const [i, cell] of cells.entries()) {
        if (cell.scrollWidth > cell.clientWidth + 1) found.push(`${name}: cell ${i} needs ${cell.scrollWidth} px and has ${cell.clientWidth}`);
        const next = cells[i + 1];
        if (!cards && next && next.getBoundingClientRect().left < cell.getBoundingClientRect().right - 1) found.push(`${name}: cell ${i + 1} covers the one before`);
      }
    }
  }
  return found;
}, cardsBelow);

/** stays is what is wrong once the page has taken its new width, which needs several frames. */
async function stays(page) {
  const frame = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  let found;
  for (let i = 0; i < 40; i++) {
    await frame();
    found = await wrong(page);
    if (found.length === 0) break;
  }
  return found;
}

/** long is a list of which only the rows near those in sight are in the page: Tab goes through all of them, and the row with the focus is not lost out of sight. */
async function long(page) {
  const rows = 130;
  for (let i = 0; i < rows; i++) await api(page, 'post', `${org}/recipes`, { name: `Recipe ${i}`, user: 'root', script: 'uptime' });
  await page.goto(`${stage.url}${org}/recipes`);
  const list = page.getByRole('table', { name: 'Recipes', exact: true });
  await list.locator('[data-index="0"] a').focus();
  const at = () => page.evaluate(() => Number(document.activeElement?.closest('[data-index]')?.dataset.index ?? -1));
  let last = 0;
  while (last < rows) {
    await page.keyboard.press('Tab');
    const now = await at();
    want(now === last || now === last + 1, `Tab goes from row ${last} of a long list to ${now}`);
    last = now;
  }
  want(await list.getByRole('row').count() < rows, 'a long list has all of its rows in the page');
  await page.evaluate(() => scrollTo(0, 0));
  await list.locator('[data-index="0"]').waitFor();
  want(await at() === last, 'the focus is lost with the row that it was on');
  await page.keyboard.press('Shift+Tab');
  want([last, last - 1].includes(await at()), `Shift+Tab goes from row ${last} to ${await at()}`);
  step(`Tab went through ${rows} rows of a long list, and the focus outlived being out of sight`);
}

await main(async (browser) => {
  const c = await context(browser);
  const page = await c.newPage();
  await signIn(page);
  const addresses = await more(page);
  await page.clock.setFixedTime(Date.now() + 40 * 86400_000);
  const faults = [];
  const tables = new Set();
  for (const address of addresses) {
    await page.goto(stage.url + address);
    await page.locator('h1, h2').first().waitFor();
    await page.waitForFunction(() => !document.querySelector('[aria-label=Loading]'));
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      faults.push(...(await stays(page)).map((what) => `${address} at ${width}: ${what}`));
      if (stage.shots && width === 820) await page.screenshot({ path: `${stage.shots}/list-${address.replaceAll('/', '-')}.png` });
    }
    for (const label of await page.locator('[role=table]:has([data-index])').evaluateAll((all) => all.map((e) => e.getAttribute('aria-label')))) tables.add(label);
  }
  want(faults.length === 0, faults.join('\n'));
  want(tables.size >= 15, `only ${[...tables].join(', ')} have rows`);
  step(`${tables.size} lists at ${widths.join(', ')} px: ${[...tables].join(', ')}`);
  if (!stage.hosts) await long(page);
});
