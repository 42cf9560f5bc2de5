// Finding one's way: the documentation of each page, the palette with what was open last, filters that are saved, permissions to begin with, and files in the
// colours of their language with what changes beside what was.
import { createRequire } from 'node:module';
import { api, context, main, signIn, stage, step, want } from './lib.mjs';

const require = createRequire(new URL('../../web/package.json', import.meta.url));
const { AxeBuilder } = require('@axe-core/playwright');
const org = '/orgs/main';

/** documentation is found by keys, in the dashboard's theme and fonts, on a phone and without scripts. */
async function documentation(browser) {
  for (const [look, options] of Object.entries({ light: {}, dark: { colorScheme: 'dark' }, phone: { viewport: { width: 390, height: 844 } } })) {
    const c = await context(browser, options);
    const page = await c.newPage();
    for (const path of ['', 'laravel', 'bad-day', 'security', 'search?q=backup', 'architecture']) {
      await page.goto(`${stage.url}/docs/${path}`);
      await page.evaluate(() => document.fonts.ready);
      want(await page.evaluate(() => document.fonts.check('16px "Inter Variable"') && document.fonts.size > 0), `${path} has not the fonts of the dashboard`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      want(wide <= 0, `/docs/${path} is ${wide} pixels wider than the screen`);
      const { violations } = await new AxeBuilder({ page }).analyze();
      want(violations.length === 0, `/docs/${path} ${look}: ${violations.map((v) => `${v.id} ${v.nodes.map((n) => n.target)}`).join('; ')}`);
    }
    if (stage.shots) await page.screenshot({ path: `${stage.shots}/docs-${look}.png` });
    await c.close();
  }
  const c = await context(browser);
  const page = await c.newPage();
  await page.goto(stage.url + '/docs/');
  const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = await ground();
  await page.evaluate(() => localStorage.setItem('hostler.theme', 'dark'));
  await page.reload();
  want((await ground()) !== light, 'the documentation is light where the dashboard is dark');

  await page.keyboard.press('/');
  await page.keyboard.type('crontab');
  await page.getByRole('status').getByText(/results? for “crontab”/).waitFor();
  await page.keyboard.press('Escape');
  want((await page.locator('#found').isHidden()) && (await page.getByRole('searchbox').evaluate((e) => e === document.activeElement)), 'Escape does not close the results');
  await page.keyboard.type(' ');
  await page.locator('#found a').first().waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/docs/processes#scheduled-jobs');
  await c.close();

  const plain = await context(browser, { javaScriptEnabled: false });
  const still = await plain.newPage();
  await still.goto(stage.url + '/docs/');
  await still.getByRole('searchbox').fill('wordpress');
  await still.getByRole('searchbox').press('Enter');
  await still.getByRole('link', { name: /^WordPress/ }).first().click();
  await still.getByRole('heading', { level: 1, name: 'WordPress' }).waitFor();
  await plain.close();
  step('the documentation is searched by keys, and without scripts');
}

await main(async (browser) => {
  const c = await context(browser);
  const page = await c.newPage();
  await signIn(page);
  const site = (await api(page, 'get', org + '/sites?include=server')).body.data[0];
  const server = site.relationships.server.data.id;
  const go = async (path) => {
    await page.goto(stage.url + path);
    await page.locator('h1, h2').first().waitFor();
  };

  const docs = page.getByRole('link', { name: /^Help for this page ?: / });
  for (const path of [org, `${org}/servers/${server}/firewall`, `${org}/sites/${site.id}/domains`, `${org}/settings/audit`, '/account/tokens']) {
    await go(path);
    const href = await docs.getAttribute('href');
    const answer = await fetch(stage.url + href);
    const anchor = href.split('#')[1];
    want(answer.ok && (!anchor || (await answer.text()).includes(`id="${anchor}"`)), `${href} of ${path} is answered ${answer.status}, or has no such heading`);
  }
  step('each page has its documentation');
  await documentation(browser);

  await page.evaluate(() => localStorage.removeItem('hostler.recent'));
  await go(`${org}/servers/${server}/firewall`);
  const name = await page.locator('h1').innerText();
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Servers', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Servers' }).waitFor();
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
  await page.keyboard.press('Control+k');
  const first = page.getByRole('option').first();
  await first.getByText(`${name}: Firewall`, { exact: true }).waitFor();
  if (stage.shots) await page.screenshot({ path: `${stage.shots}/find-palette.png` });
  await page.keyboard.press('Enter');
  await page.waitForURL('**/firewall');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('nothing is called so');
  await page.getByText('No results for “nothing is called so”').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  step('the palette begins with what was open last');

  await page.keyboard.press('Control+k');
  await page.keyboard.type('memory');
  await page.getByRole('option', { name: /: Usage of memory and processor$/ }).first().waitFor();
  if (stage.shots) await page.screenshot({ path: `${stage.shots}/find-memory.png` });
  await page.getByRole('option', { name: /: Limits of memory, processor and disk$/ }).first().click();
  await page.waitForURL('**/settings');
  const limits = page.getByRole('region', { name: 'Limits', exact: true });
  await limits.getByLabel('Memory, at most', { exact: true }).waitFor();
  want(!(await limits.getByLabel('Open files of each process, at most').isVisible()), 'limits that few sites have are shown at once');
  await limits.getByText('More limits').click();
  await limits.getByLabel('Open files of each process, at most').waitFor();
  if (stage.shots) await page.screenshot({ path: `${stage.shots}/find-limits.png`, fullPage: true });
  await go(`${org}/team`);
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  await page.getByRole('dialog').getByLabel('Role').selectOption({ label: 'Viewer' });
  await page.getByRole('dialog').getByRole('region', { name: 'Viewer allows' }).waitFor();
  if (stage.shots) await page.screenshot({ path: `${stage.shots}/find-invite.png` });
  await page.keyboard.press('Escape');
  step('limits are found by their words, and an invitation says what its role allows');

  // A list of one has nothing to filter; of two it has.
  await go(org + '/servers');
  await page.getByRole('table', { name: 'Servers' }).waitFor();
  want(await page.getByLabel('Filter by name').count() === 0, 'a list of one server can be filtered');
  want((await api(page, 'POST', org + '/servers', { name: 'second', provider: 'custom', type: 'worker', custom: { ip_address: '192.0.2.78' } })).status < 300, 'no second server');
  const table = page.getByRole('table', { name: 'Servers' });
  const rows = () => table.locator('[data-index]').count();
  await table.waitFor();
  await page.getByLabel('Filter by name').waitFor();
  want(await page.getByLabel('Provider', { exact: true }).count() === 0, 'servers of one provider can be filtered by it');
  const all = await rows();
  await page.getByLabel('Type', { exact: true }).selectOption('cache');
  await page.getByText('No servers match these filters.').waitFor();
  want(new URL(page.url()).searchParams.get('type') === 'cache', 'the filter is not in the address');
  await page.getByLabel('Type', { exact: true }).selectOption('');
  await page.getByLabel('Status', { exact: true }).selectOption('bad');
  await page.getByRole('button', { name: 'Save filter' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Broken');
  await page.getByRole('dialog').getByRole('button', { name: 'Save filter' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.waitForFunction((n) => document.querySelectorAll('[aria-label=Servers] [data-index]').length === n, all);
  await page.reload();
  const chip = page.getByRole('list', { name: 'Saved filters' }).getByRole('button', { name: 'Broken', exact: true });
  await chip.click();
  await page.waitForURL('**/servers?status=bad');
  want((await chip.getAttribute('aria-pressed')) === 'true', 'the saved filter is not shown as the one in use');
  await page.getByRole('button', { name: 'Delete the filter Broken' }).click();
  await chip.waitFor({ state: 'detached' });
  step('a filter is in the address, saved, and used again');

  await go(`${org}/servers/${server}/settings`);
  const tags = page.getByLabel('Tags', { exact: true });
  const current = page.getByRole('list', { name: 'Current tags' }).getByRole('listitem');
  await tags.fill('production, eu');
  await tags.pressSequentially('temporary');
  await tags.press('Enter');
  want((await current.count()) === 3, 'Enter and commas do not add tags');
  await tags.press('Backspace');
  await page.getByRole('button', { name: 'Remove the tag eu' }).press('Enter');
  want((await current.count()) === 1, 'keys do not remove tags');
  want(await tags.evaluate((field) => field === document.activeElement), 'the focus is lost with a removed tag');
  await tags.pressSequentially('eu'); // added when the field is left
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('status').filter({ hasText: 'Saved' }).waitFor();
  await go(org + '/servers?tag=eu&group=tag');
  for (const tag of ['eu', 'production']) {
    const group = page.getByRole('table', { name: `Servers: ${tag}`, exact: true });
    await group.getByRole('link', { name, exact: true }).waitFor();
    want((await group.locator('[data-index]').count()) === 1, `other servers are in the group ${tag}`);
  }
  want((await page.getByLabel('Tag', { exact: true }).inputValue()) === 'eu', 'the tag of the address is not chosen');
  await page.getByLabel('Tag', { exact: true }).selectOption('');
  if (all > 1) await page.getByRole('table', { name: 'Servers: No tag', exact: true }).waitFor();
  step('servers are filtered and grouped by tag');

  await go(`${org}/sites/${site.id}/settings`);
  await page.getByLabel('Tags', { exact: true }).fill('shop,');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('status').filter({ hasText: 'Saved' }).waitFor();
  for (const list of [org, `${org}/servers/${server}`]) {
    await go(list + '/sites?tag=shop&group=tag');
    await page.getByRole('table', { name: 'Sites: shop', exact: true }).locator('[data-index]').first().waitFor();
    want((await page.getByLabel('Tag', { exact: true }).inputValue()) === 'shop', 'the tag of the address is not chosen');
  }
  step('sites are filtered and grouped by tag');

  await go(`${org}/activity?site=${site.id}&longer=10`);
  await page.getByLabel('Site', { exact: true }).waitFor();
  want((await page.getByLabel('Site', { exact: true }).inputValue()) === site.id, 'the site of the address is not chosen');
  await page.getByLabel('Duration', { exact: true }).selectOption('');
  await page.getByRole('table', { name: 'Events' }).locator('[data-index]').first().waitFor();
  await page.getByLabel('Status', { exact: true }).selectOption('succeeded');
  await page.waitForURL((url) => url.searchParams.get('status') === 'succeeded' && url.searchParams.has('site'));
  step('activity is filtered by site, status and duration');

  await go(org + '/team/teams');
  await page.getByRole('button', { name: 'New team' }).first().click();
  await page.getByRole('dialog').getByLabel('Name').fill('together');
  await page.getByRole('dialog').getByLabel('Invite').fill('one@example.com two@example.com');
  await page.getByRole('dialog').getByRole('button', { name: 'Create team' }).click();
  for (const email of ['one', 'two']) await page.getByRole('group', { name: `Invitation link for ${email}@example.com` }).getByText('/invitation#').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
  const invited = page.getByRole('table', { name: 'Invitations' });
  await invited.getByRole('row', { name: /two@/ }).waitFor();
  await page.route('**/invites/*', (r) => (r.request().method() === 'DELETE' ? r.fulfill({ status: 500, json: { message: 'Not today.' } }) : r.continue()));
  await invited.getByRole('row', { name: /one@/ }).getByRole('button', { name: /^Revoke/ }).click();
  await page.getByRole('alert').getByText('Not today.').waitFor();
  await invited.getByRole('row', { name: /one@/ }).waitFor();
  await page.unroute('**/invites/*');
  await invited.getByRole('row', { name: /one@/ }).getByRole('button', { name: /^Revoke/ }).click();
  await invited.getByRole('row', { name: /one@/ }).waitFor({ state: 'detached' });
  step('people are invited together with a team; what can not be revoked stays');

  await go(org + '/team/roles');
  await page.getByRole('button', { name: 'New role' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Deploy', exact: true }).click();
  want(await dialog.getByLabel('Deploy', { exact: true }).isChecked(), 'a preset does not choose');
  want((await dialog.getByText('root access on servers').count()) === 0, 'a role that deploys is called root');
  await dialog.getByLabel(/^Manage and run recipes/).check();
  await dialog.getByText('“Manage and run recipes” amounts to root access on servers.').waitFor();
  await dialog.getByText('Custom', { exact: true }).waitFor();
  if (stage.shots) await page.screenshot({ path: `${stage.shots}/find-role.png` });
  await dialog.getByRole('button', { name: 'Close' }).click();
  step('permissions begin with a preset, and say what amounts to root');

  await go(org + '/recipes/new');
  const script = page.getByLabel('Script', { exact: true });
  await script.fill('# install\nif true; then\n  apt-get install -y htop\nfi\n');
  await page.locator('[data-painted] span', { hasText: /^# install$/ }).last().waitFor();
  const [top, painted] = await page.evaluate(() => {
    const area = document.querySelector('textarea[name=script]');
    return [area.getBoundingClientRect(), document.querySelector('[data-painted] pre').getBoundingClientRect()].map((r) => [r.left, r.top]);
  });
  want(Math.abs(top[0] + 12 - painted[0]) < 1.5 && Math.abs(top[1] + 10 - painted[1]) < 1.5, `the colours are at ${painted}, and the text is at ${top}`);
  if (stage.shots) await page.screenshot({ path: `${stage.shots}/find-editor.png` });
  await page.getByRole('button', { name: 'Changes', exact: true }).click();
  const changes = page.getByRole('dialog', { name: 'Changes' });
  await changes.getByRole('button', { name: 'Side by side' }).click();
  await changes.getByRole('group', { name: 'Difference, before and after' }).waitFor();
  if (stage.shots) await page.screenshot({ path: `${stage.shots}/find-diff.png` });
  await changes.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Undo changes' }).click();
  step('a script has colours, and its changes stand beside what was');
  await c.close();
});
