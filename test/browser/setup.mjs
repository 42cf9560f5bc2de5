// The first account, and the steps to a first site: what they show, where they lead, and that they go when they are dismissed.
import { api, context, main, owner, setUp, stage, step, want } from './lib.mjs';

const grace = { name: 'Grace Hopper', email: 'grace@example.com', password: 'a password of a guest' };
const look = (page) => page.locator('main > div').evaluate((e) => [getComputedStyle(e).fontFamily, getComputedStyle(e).borderRadius, getComputedStyle(e).backgroundColor].join());

await main(async (browser) => {
  const c = await context(browser);
  const page = await c.newPage();
  // without an account everything leads to its creation, which needs the link that only the operator sees
  await page.goto(stage.url + '/sign-in');
  await page.waitForURL('**/setup');
  await page.getByLabel('Setup code').fill('guessed');
  await page.getByLabel('Name').fill(owner.name);
  await page.getByLabel('Email').fill(owner.email);
  await page.getByLabel('Password').fill('too short');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByLabel('Password').and(page.locator('[aria-invalid=true]')).waitFor();
  await page.getByLabel('Password').fill(owner.password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByLabel('Setup code').and(page.locator('[aria-invalid=true]')).waitFor();
  want((await page.getByLabel('Email').inputValue()) === owner.email, 'what was typed is gone');
  const first = await look(page);
  step('no account without the code');

  await page.goto('about:blank');
  await setUp(page);
  want((await api(page, 'get', '/user/tokens')).body.data.length === 0, 'there is a token that was not asked for');
  await page.goto(stage.url + '/setup');
  await page.waitForURL('**/orgs/main');
  const stranger = await (await context(browser)).newPage();
  await stranger.goto(stage.url + '/sign-in');
  await stranger.getByLabel('Email').waitFor();
  want((await look(stranger)) === first, 'the page of the first account looks unlike signing in');
  await stranger.context().close();
  step('the account is signed in, and has no token');

  const list = page.getByRole('region', { name: 'Get started' });
  const shown = async (done) => {
    await list.getByText(`${done} of 6 steps done`).waitFor();
    return list.getByRole('listitem').count();
  };
  want((await shown(0)) === 6, 'not all steps are there');
  for (const link of await list.getByRole('link', { name: /^Documentation/ }).all()) {
    const href = await link.getAttribute('href');
    const guide = await fetch(stage.url + href);
    want(guide.ok && (await guide.text()).includes('<h1'), `${href} is answered ${guide.status}`);
  }
  await page.goto(stage.url + '/docs/sites');
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  want((await page.locator('nav a[aria-current]').innerText()).toLowerCase() === 'sites', 'the documentation has no menu');
  await page.goBack();
  step('each step has its documentation');

  await list.getByRole('link', { name: 'Add server' }).click();
  await page.getByRole('radio', { name: /^App server/ }).check();
  want((await page.getByLabel('Database', { exact: true }).inputValue()) === 'mariadb1011', 'no database is proposed for an app server');
  await page.getByLabel('Name', { exact: true }).fill('web-1');
  await page.getByLabel('IP address', { exact: true }).fill('203.0.113.10');
  await page.getByRole('button', { name: 'Add server' }).click();
  await page.getByLabel('Setup command').waitFor();
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  await list.getByRole('link', { name: 'View server' }).waitFor(); // it is done when the server is set up
  await list.getByRole('link', { name: 'New site' }).click();
  const domain = page.getByLabel('Domain', { exact: true });
  await domain.fill('draft.example.com');
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  await list.getByRole('link', { name: 'New site' }).click();
  await page.getByText('What you typed here before is back.').waitFor();
  want((await domain.inputValue()) === 'draft.example.com', 'a detour loses what was typed');
  await page.reload();
  await page.getByText('What you typed here before is back.').waitFor();
  want((await domain.inputValue()) === 'draft.example.com', 'a reload loses what was typed');
  await page.getByRole('button', { name: 'Discard it' }).click();
  want((await domain.inputValue()) === '', 'what was discarded is still there');
  await page.reload();
  await domain.waitFor();
  want((await domain.inputValue()) === '', 'what was discarded is back');
  await domain.fill('shop.example.com');
  await page.getByRole('button', { name: 'Create site' }).click();
  await page.getByRole('heading', { level: 1, name: 'shop.example.com' }).waitFor();
  want((await page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.startsWith('draft:')).length)) === 0, 'what was sent is still kept');
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  await shown(1);
  await list.getByRole('link', { name: 'Connect repository' }).click();
  await page.waitForURL('**/deployments/source');
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  await list.getByRole('link', { name: 'View domains' }).click();
  await page.waitForURL('**/domains');
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  await list.getByRole('link', { name: 'Invite', exact: true }).click();
  await page.waitForURL('**/team');
  await page.getByRole('button', { name: 'Invite', exact: true }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Email').fill(grace.email);
  await dialog.getByText('Copy the link in the next step and share it.').waitFor();
  await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
  await dialog.getByText(/No mail server is configured\. Copy the link now/).waitFor();
  const link = /https?:\/\/\S+\/invitation#\S+/.exec(await dialog.innerText())?.[0];
  want(link, 'the sender sees no link');
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('row', { name: /grace@example\.com/ }).waitFor();
  want(!(await page.content()).includes(link), 'the link is shown again');
  const guest = await (await context(browser)).newPage();
  await guest.goto(link);
  await guest.getByLabel('Name').fill(grace.name);
  await guest.getByLabel('Password').fill(grace.password);
  await guest.getByRole('button', { name: 'Create account' }).click();
  await guest.waitForURL('**/orgs/main'); // she is in
  await guest.context().close();
  step('without a mail server, an invitation is a link to copy');
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  await shown(2);
  step('the steps lead to their screens, and are done by what exists');

  await page.reload();
  await shown(2);
  await list.getByRole('button', { name: 'Dismiss' }).click();
  await list.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('heading', { name: 'Activity' }).waitFor();
  want((await list.count()) === 0, 'dismissed steps are back');
  step('dismissed, they stay away');
});
