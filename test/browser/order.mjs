// A server is ordered at a provider with its price in sight, watched while it comes, and destroyed or preserved when it is deleted.
import { createRequire } from 'node:module';
import { api, ask, context, main, signIn, stage, step, want } from './lib.mjs';

const require = createRequire(new URL('../../web/package.json', import.meta.url));
const { AxeBuilder } = require('@axe-core/playwright');
const org = '/orgs/main';

await main(async (browser) => {
  const page = await (await context(browser)).newPage();
  await signIn(page);
  const clean = async (name) => {
    await page.screenshot({ path: `${stage.shots}/${name}.png`, fullPage: true });
    const { violations } = await new AxeBuilder({ page }).analyze();
    want(violations.length === 0, `${name}: ${violations.map((v) => `${v.id} ${v.nodes.map((n) => n.target)}`).join('; ')}`);
  };
  const machines = async (provider, account) => JSON.parse(await ask('machines', { name: provider, match: account })) ?? [];
  const dialog = page.getByRole('dialog');

  await page.goto(stage.url + org + '/servers/new');
  await page.getByRole('link', { name: 'connect a provider account' }).waitFor();
  for (const body of [
    { name: 'Berlin', provider: 'hetzner', secret: 'berlin' },
    { name: 'Dublin', provider: 'aws', key: 'dublin', secret: 'signs' },
  ]) want((await api(page, 'POST', org + '/server-credentials', body)).status === 201, `no account ${body.name}`);

  await page.reload();
  await page.getByRole('radio', { name: /^Berlin/ }).check();
  await page.getByRole('radio', { name: /^Web server/ }).check();
  await page.getByLabel('Name', { exact: true }).fill('berlin-1');
  await page.getByLabel('Size', { exact: true }).locator('option', { hasText: '24.00 USD per month' }).waitFor({ state: 'attached' });
  want((await page.getByLabel('Region', { exact: true }).inputValue()) === 'fsn1', 'the usual region is not chosen');
  await page.getByText(/^From Hostler's list of \w+ \d+, 20\d\d\./).waitFor();
  want((await machines('hetzner', 'berlin')).length === 0, 'a server was ordered before the form was sent');
  await page.getByRole('button', { name: 'Create server' }).click();
  await page.getByLabel('Size', { exact: true }).and(page.locator('[aria-invalid=true]')).waitFor();
  await page.getByLabel('Size', { exact: true }).selectOption('new-size');
  await page.getByText('Price: 24.00 USD per month').waitFor();
  await page.getByLabel('Private network', { exact: true }).selectOption({ label: 'default (10.0.0.0/16)' });
  await page.getByLabel('Provider backups').check();
  await clean('order-priced');
  step('a price was shown, and nothing was ordered for it');

  await page.getByRole('button', { name: 'Create server' }).click();
  await page.getByRole('heading', { level: 1, name: 'berlin-1' }).waitFor();
  const progress = page.getByRole('list', { name: 'Progress' });
  await progress.getByText('The server connected and its host keys are pinned.').waitFor();
  const [one, ...others] = await machines('hetzner', 'berlin');
  want(one && others.length === 0 && one.Size === 'new-size' && one.Network === '1' && one.BackedUp, 'ordered was ' + JSON.stringify([one, ...others]));
  await page.getByText(one.Address).first().waitFor();
  await clean('order-progress');
  step('it was ordered once, and its page follows it');

  await page.goto(stage.url + org + '/servers/new');
  await page.getByRole('radio', { name: /^Dublin/ }).check();
  await page.getByRole('radio', { name: /^Web server/ }).check();
  await page.getByLabel('Name', { exact: true }).fill('dublin-1');
  await page.getByLabel('Size', { exact: true }).selectOption('t3.small');
  await page.getByText('The price is not known').waitFor();
  await clean('order-unpriced');
  await page.getByRole('button', { name: 'Create server' }).click();
  await page.getByRole('heading', { level: 1, name: 'dublin-1' }).waitFor();
  await progress.getByText('Waiting for the server to boot and connect').waitFor();
  step('where the price is not known, the form says so');

  const settings = async (name) => {
    await page.goto(stage.url + org + '/servers');
    await page.getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.getByRole('navigation', { name: 'Server' }).getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Delete server' }).click();
    await dialog.getByLabel(`Type ${name} to confirm`).fill(name);
  };
  const gone = (name) => page.getByRole('link', { name, exact: true }).waitFor({ state: 'detached' });
  await settings('dublin-1');
  await dialog.getByText("The provider destroys it with everything on it. This can't be undone.").waitFor();
  await dialog.getByRole('radio', { name: /^Keep/ }).check();
  await clean('order-delete');
  await dialog.getByRole('button', { name: 'Delete server' }).click();
  await page.waitForURL('**/servers');
  await gone('dublin-1');
  want((await machines('aws', 'dublin')).length === 1, 'it was not preserved');
  await settings('berlin-1');
  await dialog.getByRole('button', { name: 'Destroy server' }).click();
  await page.waitForURL('**/servers');
  await gone('berlin-1');
  want((await machines('hetzner', 'berlin')).length === 0, 'it was not destroyed');
  step('one was preserved, and one destroyed');
});
