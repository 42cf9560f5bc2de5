// A site's life in the dashboard.
import { context, main, stage, signIn, step } from '../browser/lib.mjs';

const owner = { email: 'owner@example.com', password: 'correct horse battery staple' };
const name = 'life.example.com';
const within = (ms) => ({ timeout: ms });
const long = within(180_000);

async function reach(moment, said = '') {
  const answer = await fetch(`${stage.stage}/${moment}`, { method: 'POST', body: said });
  if (!answer.ok) throw new Error(await answer.text());
  step(moment);
}

await main(async (browser) => {
  const page = await (await context(browser)).newPage();
  const dialog = page.getByRole('dialog');
  const link = (text) => page.getByRole('link', { name: text, exact: true }).first();
  const button = (text) => page.getByRole('button', { name: text, exact: true }).first();
  const field = (text) => page.getByLabel(text, { exact: true });
  await signIn(page, owner);

  await link('Servers').click();
  await page.getByRole('link', { name: 'Add server' }).first().click();
  await page.getByRole('radio', { name: /^App server/ }).check();
  await field('Name').fill('life');
  await field('SSH port').fill(String(stage.port));
  await field('IP address').fill(stage.ip);
  await field('Database').selectOption('mariadb1011');
  await button('Add server').click();
  await reach('connect', await page.getByLabel('Setup command').innerText());

  await link('Settings').click();
  await link('Storage').click();
  await button('Connect storage').click();
  await field('Name').fill('Archive');
  await field('Endpoint').fill(stage.endpoint);
  await field('Bucket').fill(stage.bucket);
  await field('Access key').fill(stage.access);
  await field('Secret key').fill(stage.secret);
  await button('Test and connect').click();
  await page.getByRole('row', { name: /Archive/ }).waitFor();

  await link('Sites').click();
  await page.getByRole('link', { name: 'New site' }).first().click();
  await field('Server').selectOption({ label: 'life' });
  await field('Domain').fill(name);
  await page.getByRole('radio', { name: /^PHP/ }).check();
  await field('Repository').fill(stage.git);
  await button('Create site').click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  const site = page.url();
  await page.getByText('Not deployed yet', { exact: true }).first().waitFor(long);
  await link('Deployments').click();
  await link('Repository').click();
  await reach('installed', await page.getByLabel('Public deploy key').innerText());

  await link('Servers').click();
  await link('life').click();
  const server = page.url();
  await link('Databases').click();
  await button('New database').click();
  await field('Name').fill('shop');
  await button('Create').click();
  await button("I've saved it").click();
  await page.getByRole('row', { name: /shop.*Installed/ }).first().waitFor(long);

  const state = (text) => page.getByRole('region', { name: 'Operation' }).getByRole('status').getByText(text, { exact: true });
  const deploy = async () => {
    await page.goto(site);
    await link('Deployments').click();
    await button('Deploy now').click();
    await page.waitForURL(/deployments\/\d+/);
    await state('Succeeded').waitFor(long);
  };
  await deploy();
  await reach('deployed');

  await page.goto(site);
  await link('Domains').click();
  await link(name).click();
  await button('Request certificate').click();
  await dialog.getByRole('button', { name: 'Request certificate', exact: true }).click();
  await page.getByText('Active', { exact: true }).first().waitFor(long);
  await page.goto(site);
  await link('Processes').click();
  await button('New process').click();
  await dialog.getByLabel('Command', { exact: true }).fill('sleep infinity');
  await dialog.getByLabel('Name', { exact: true }).fill('Worker');
  await dialog.getByRole('button', { name: 'Create process' }).click();
  await page.getByRole('row', { name: /Worker.*Running/ }).waitFor(long);
  await link('Scheduled jobs').click();
  await button('New job').click();
  await dialog.getByLabel('Command', { exact: true }).fill('echo the job ran');
  await dialog.getByLabel('Name', { exact: true }).fill('Report');
  await dialog.getByLabel('Schedule', { exact: true }).selectOption('nightly');
  await dialog.getByRole('button', { name: 'Create job' }).click();
  await page.getByRole('row', { name: /Report.*Installed/ }).waitFor(long);

  await page.goto(server);
  await link('Backups').click();
  await page.getByRole('link', { name: 'New backup' }).first().click();
  await button('Create backup').click();
  await page.getByText('Not verified yet').waitFor(long);
  const backups = page.url();
  await button('Back up now').click();
  await page.getByRole('row', { name: /Succeeded.*shop/ }).waitFor(long);
  await reach('lost');
  await link('Restore').click();
  await page.getByRole('radio', { name: /^Replace the existing database/ }).check();
  await page.getByLabel('Type shop to confirm').fill('shop');
  await button('Replace').click();
  await page.getByText('Restored to shop.').waitFor(long);
  await reach('restored');
  await deploy();
  await reach('newer');
  await page.goto(site);
  await link('Deployments').click();
  await link('page one').click();
  await button('Roll back to this release').click();
  await page.getByText('Rollback').first().waitFor();
  await state('Succeeded').waitFor(long);
  await reach('made');

  // sure types what a question asks for, if it asks for something, and answers it
  const sure = async (answer) => {
    await dialog.waitFor();
    const typed = dialog.getByLabel(/^Type /);
    if (await typed.count()) await typed.fill(/Type (.+) to confirm/.exec(await dialog.innerText())[1]);
    await dialog.getByRole('button', { name: answer, exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
  };
  const gone = (row) => page.getByRole('row', { name: row }).first().waitFor({ state: 'detached', timeout: 180_000 });
  await page.goto(backups);
  await button('Delete configuration').click();
  await sure('Delete configuration');
  await page.waitForURL(/backups$/);
  await page.goto(site);
  await link('Processes').click();
  await page.getByRole('button', { name: 'Delete Worker' }).click();
  await sure('Delete process');
  await gone(/Worker/);
  await link('Scheduled jobs').click();
  await page.getByRole('button', { name: 'Delete Report' }).click();
  await sure('Delete job');
  await gone(/Report/);
  await page.goto(site);
  await link('Domains').click();
  await link(name).click();
  await page.getByRole('row', { name: /Let's Encrypt/ }).getByRole('button', { name: 'Delete', exact: true }).click();
  await sure('Delete certificate');
  await page.getByText('No certificates yet').waitFor(long);
  await page.goto(site + '/settings');
  await button('Delete site').click();
  await sure('Delete site');
  await page.waitForURL((u) => !u.pathname.includes('/sites/'), long);
  await page.goto(server);
  await link('Databases').click();
  await page.getByRole('table', { name: 'Databases' }).getByRole('row', { name: /shop/ }).getByRole('button', { name: 'Delete' }).click();
  await sure('Delete database');
  await page.getByRole('table', { name: 'Users' }).getByRole('row', { name: /shop/ }).getByRole('button', { name: 'Delete' }).click();
  await sure('Delete user');
  await gone(/shop/);
  await page.goto(new URL('/orgs/acme/settings/storage', stage.url).href);
  await page.getByRole('row', { name: /Archive/ }).getByRole('button', { name: 'Delete' }).click();
  await sure('Delete storage');
  await gone(/Archive/);
  await page.goto(server + '/settings');
  await button('Delete server').click();
  await sure('Delete server');
  await page.waitForURL((u) => !/servers\/\d/.test(u.pathname), long);
  await link('Servers').click();
  await page.getByRole('heading', { level: 1, name: 'Servers' }).waitFor();
  await page.getByRole('link', { name: 'life', exact: true }).waitFor({ state: 'detached', timeout: 180_000 });
  await reach('gone');
});
