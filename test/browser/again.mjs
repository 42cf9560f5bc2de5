// What one loses elsewhere: the session, while a form is open; what a page is about; and the page itself, while the panel restarts.
import { api, context, main, owner, signIn, stage, step, want } from './lib.mjs';

await main(async (browser) => {
  const c = await context(browser);
  const page = await c.newPage();
  await signIn(page);
  const made = await api(page, 'POST', '/orgs/main/servers', { name: 'leaving', provider: 'custom', type: 'web', custom: { ip_address: '192.0.2.77' } });
  const server = `/orgs/main/servers/${made.body.data.id}`;

  // The session ends while a form is open: it is begun again over the page, and what was typed is sent. A click beside a dialog loses nothing.
  await page.goto(stage.url + server + '/firewall');
  await page.getByRole('button', { name: 'Add rule' }).first().click();
  const rule = page.getByRole('dialog', { name: 'Add a firewall rule' });
  await rule.getByLabel('Name', { exact: true }).fill('Kept');
  await rule.getByLabel('Port').fill('8123');
  await page.mouse.click(5, 400);
  want(await rule.getByLabel('Port').inputValue() === '8123', 'a click beside the dialog lost what was typed');
  await c.clearCookies();
  await rule.getByRole('button', { name: 'Add rule' }).click();
  const again = page.getByRole('dialog', { name: 'Sign in again' });
  await again.getByLabel('Password').fill('not the password at all');
  await again.getByRole('button', { name: 'Sign in' }).click();
  await again.getByRole('alert').first().waitFor();
  await page.keyboard.press('Escape');
  await again.waitFor({ state: 'detached' });
  // What the page reads in the background does not ask for the password once more.
  const unread = page.waitForResponse((r) => r.request().method() === 'GET' && r.status() === 401);
  const returning = await page.evaluate(() => setInterval(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })), 200));
  await (await unread).finished();
  await page.evaluate((id) => clearInterval(id), returning);
  want(await rule.getByLabel('Port').inputValue() === '8123', 'to leave it lost what was typed');
  await rule.getByRole('button', { name: 'Add rule' }).click();
  await again.getByLabel('Password').fill(owner.password);
  await again.getByRole('button', { name: 'Sign in' }).click();
  await rule.waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /Kept/ }).waitFor();
  step('a session that ended is begun again over the form, which is sent');

  // A page whose subject is deleted elsewhere says so, and asks for it no more.
  await page.clock.install();
  await page.goto(stage.url + server);
  await page.getByRole('heading', { name: 'leaving', exact: true }).waitFor();
  want((await api(page, 'DELETE', server)).status === 202, 'the server is not deleted');
  await page.getByText('This was deleted, or you no longer have access.').waitFor();
  want(await page.getByRole('heading', { name: 'leaving', exact: true }).count() === 0, 'a server that is gone is shown');
  const missed = [];
  page.on('response', (r) => { if (r.status() === 404) missed.push(r.url()); });
  await page.clock.runFor(60_000);
  await api(page, 'GET', '/orgs/main'); // what was asked before this is answered
  want(missed.length === 0, `in a minute, the page asks for what is gone:\n${missed.join('\n')}`);
  step('what is deleted elsewhere is not shown any longer, nor asked for');

  // Two tabs of one form: each keeps its own text. What was saved in one is shown in the other, which offers its text instead of losing it.
  const recipe = (await api(page, 'POST', '/orgs/main/recipes', { name: 'Shared', user: 'root', script: 'uptime' })).body.data.id;
  const other = await c.newPage();
  const name = (tab) => tab.getByLabel('Name', { exact: true });
  for (const [tab, text] of [[page, 'Of the first'], [other, 'Of the second']]) {
    await tab.goto(`${stage.url}/orgs/main/recipes/${recipe}`);
    await name(tab).fill(text);
  }
  for (const [tab, text] of [[page, 'Of the first'], [other, 'Of the second']]) {
    await tab.reload();
    await tab.getByText('What you typed here before is back.').waitFor();
    want(await name(tab).inputValue() === text, `${text} is ${await name(tab).inputValue()} after a reload`);
  }
  await other.getByRole('button', { name: 'Save' }).click();
  await other.getByRole('heading', { level: 1, name: 'Of the second' }).waitFor();
  await page.getByRole('heading', { level: 1, name: 'Of the second' }).or(page.getByRole('heading', { level: 1, name: 'Shared' })).waitFor();
  want(await name(page).inputValue() === 'Of the first', 'what was saved in another tab replaced what was typed');
  await page.reload();
  await page.getByText('This was changed after you typed here. What you typed is kept.').waitFor();
  want(await name(page).inputValue() === 'Of the second', 'what was typed is shown as if it were saved');
  await page.getByRole('button', { name: 'Put it back' }).click();
  await page.getByText('What you typed here before is back.').waitFor();
  want(await name(page).inputValue() === 'Of the first', 'what was typed is not put back');
  await other.close();
  step('two tabs of one form keep what was typed in each, and say what the other one saved');

  // A page whose program is not answered with says so, in the dashboard's own words, and the rest of the screen stays.
  const lost = (route) => route.abort('connectionrefused');
  await page.route('**/assets/recipes-*', lost);
  await page.goto(stage.url + '/orgs/main/recipes');
  await page.getByText('The page could not be loaded. Hostler may be restarting.').waitFor();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  await page.unroute('**/assets/recipes-*', lost);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Recipes', exact: true }).waitFor();
  step('a page that could not be loaded says so, and is loaded on request');
});
