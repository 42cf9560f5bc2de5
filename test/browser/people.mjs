// A second person: invited with a lesser role, who sees what they can't do and why; a second factor; a forgotten password.
import { createHmac } from 'node:crypto';
import { createRequire } from 'node:module';
import { context, mailed, main, owner, signIn, stage, step, want } from './lib.mjs';

const require = createRequire(new URL('../../web/package.json', import.meta.url));
const { AxeBuilder } = require('@axe-core/playwright');

/** audit wants no violation that axe knows on a page, light and dark, and nothing wider than a phone. */
async function audit(page, name) {
  const before = page.viewportSize();
  for (const theme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme: theme });
    const { violations } = await new AxeBuilder({ page }).analyze();
    want(violations.length === 0, `${name} ${theme}: ${violations.map((v) => `${v.id} ${v.nodes.map((n) => n.target)}`).join('; ')}`);
  }
  await page.emulateMedia({ colorScheme: null });
  await page.setViewportSize({ width: 390, height: 844 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  want(wide <= 0, `${name} is ${wide} pixels wider than a phone`);
  if (stage.shots) await page.screenshot({ path: `${stage.shots}/${name.replaceAll(' ', '-')}-phone.png` });
  await page.setViewportSize(before);
}

const grace = { name: 'Grace', email: 'grace@example.com', password: 'a password of grace herself' };

/** code is the six digits that an authenticator app shows for a secret (RFC 6238). */
function code(secret, at = Date.now()) {
  const bits = [...secret.replace(/[\s=]/g, '').toUpperCase()].map((l) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(l).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from(bits.match(/.{8}/g).map((b) => parseInt(b, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)));
  const sum = createHmac('sha1', key).update(counter).digest();
  return String((sum.readUInt32BE(sum[19] & 15) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

await main(async (browser) => {
  const mine = await context(browser);
  const page = await mine.newPage();
  await signIn(page);
  await page.getByRole('link', { name: 'Team', exact: true }).first().click();
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  await page.getByLabel('Email').fill(grace.email);
  await page.getByRole('dialog').getByLabel('Role').selectOption({ label: 'Viewer' });
  await page.getByRole('dialog').getByRole('button', { name: 'Invite', exact: true }).click();
  await page.getByRole('row', { name: /grace@example.com/ }).waitFor();
  const link = await mailed(grace.email, 'http://\\S+/invitation#\\S+');
  step('invited');

  const hers = await context(browser);
  const other = await hers.newPage();
  await other.goto(link);
  await other.getByLabel('Name').fill(grace.name);
  await other.getByLabel('Password').fill('short');
  await other.getByRole('button', { name: 'Create account and join' }).click();
  await other.getByLabel('Password').and(other.locator('[aria-invalid=true]')).waitFor();
  await other.getByLabel('Password').fill(grace.password);
  await audit(other, 'an invitation');
  await other.getByRole('button', { name: 'Create account and join' }).click();
  await other.waitForURL('**/orgs/main');
  step('she made her account, and is in');

  // the same link again: by her, by another person, and by no one in particular
  await other.goto(link);
  await other.getByRole('heading', { name: 'This invitation was already accepted' }).waitFor();
  await other.getByRole('link', { name: 'Go to Home' }).click();
  await other.waitForURL('**/orgs/main');
  const cut = await (await context(browser)).newPage();
  await cut.goto(link.slice(0, -3));
  await cut.getByText('withdrawn or replaced, or its link is incomplete').waitFor();
  await cut.getByRole('link', { name: 'Sign in' }).click();
  await cut.waitForURL('**/sign-in*');
  step('a link that was used or cut says so, and leads on');

  // another organization, and an invitation to it that is opened with the wrong account
  await page.getByRole('button', { name: /switch organization/ }).click();
  await page.getByRole('menuitem', { name: 'Create organization' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Client & Söhne');
  want((await page.getByRole('dialog').getByLabel('Slug').inputValue()) === 'client-sohne', 'the slug does not follow the name');
  await page.getByRole('dialog').getByLabel('Slug').fill('main');
  await page.getByRole('dialog').getByRole('button', { name: 'Create organization' }).click();
  await page.getByLabel('Slug').and(page.locator('[aria-invalid=true]')).waitFor();
  await page.getByRole('dialog').getByLabel('Slug').fill('client');
  await page.getByRole('dialog').getByRole('button', { name: 'Create organization' }).click();
  await page.waitForURL('**/orgs/client');
  await page.getByRole('button', { name: /switch organization/ }).click();
  await page.getByRole('menuitem', { name: 'All organizations' }).click();
  await page.waitForURL('**/orgs');
  await page.getByRole('heading', { name: 'Organizations', exact: true }).waitFor();
  await page.getByRole('link', { name: 'Client & Söhne' }).waitFor();
  await audit(page, 'all organizations');
  await page.screenshot({ path: `${stage.shots}/organizations.png` });
  await page.getByRole('link', { name: 'Client & Söhne' }).click();
  await page.getByRole('link', { name: 'Team', exact: true }).first().click();
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  await page.getByLabel('Email').fill(grace.email);
  await page.getByRole('dialog').getByLabel('Role').selectOption({ label: 'Viewer' });
  await page.getByRole('dialog').getByRole('button', { name: 'Invite', exact: true }).click();
  await page.getByRole('row', { name: /grace@example.com/ }).waitFor();
  let second = link;
  while (second === link) second = await mailed(grace.email, 'http://\\S+/invitation#\\S+'); // the newest
  const wrong = await (await context(browser)).newPage();
  await signIn(wrong);
  await wrong.goto(second);
  await wrong.getByText(`only ${grace.email} can accept this invitation`).waitFor();
  await audit(wrong, 'an invitation of another account');
  await wrong.screenshot({ path: `${stage.shots}/invitation-of-another.png` });
  await wrong.reload();
  await wrong.getByText(`only ${grace.email} can accept this invitation`).waitFor();
  want(!wrong.url().includes('#'), 'the token is still in the address');
  await wrong.getByRole('button', { name: 'Switch account' }).click();
  await wrong.getByRole('button', { name: 'I already have an account' }).click();
  await wrong.getByLabel('Password').fill(grace.password);
  await wrong.getByRole('button', { name: 'Sign in and join' }).click();
  await wrong.waitForURL('**/orgs/client');
  await wrong.getByRole('button', { name: /Client & Söhne, switch organization/ }).waitFor();
  step('an invitation opened with another account: switched on the page, and in');
  await page.goto(stage.url + '/orgs/main/team');

  await other.getByRole('link', { name: 'Servers', exact: true }).first().click();
  const add = other.getByRole('button', { name: 'Add server' }).first();
  await add.waitFor();
  want((await add.getAttribute('aria-disabled')) === 'true', 'a viewer may add servers');
  want(/server:create/.test(await add.getAttribute('title')), 'the missing permission is not named: ' + (await add.getAttribute('title')));
  await other.getByRole('link', { name: 'web-1' }).click();
  await other.getByRole('link', { name: 'Access', exact: true }).click();
  await other.getByRole('heading', { name: 'SSH keys' }).first().waitFor();
  want((await other.getByRole('link', { name: 'Firewall', exact: true }).count()) === 0, 'a tab leads to a page that only says what is missing');
  await other.goto(other.url().replace('ssh-keys', 'firewall'));
  await other.getByText('server:manage-network').first().waitFor();
  const rule = other.getByRole('button', { name: 'Add rule' }).first();
  await rule.waitFor();
  want((await rule.getAttribute('aria-disabled')) === 'true' && /server:manage-network/.test(await rule.getAttribute('title')), 'a viewer may add rules');
  await rule.click({ force: true });
  want((await other.getByRole('dialog').count()) === 0, 'a disabled button opens something');
  await other.screenshot({ path: `${stage.shots}/viewer.png` });
  step('what she may not do is disabled, and says which permission is missing');

  await page.reload();
  await page.getByRole('row', { name: /Grace/ }).getByRole('combobox').selectOption({ label: 'Admin' });
  await page.getByRole('row', { name: /Grace/ }).waitFor();
  await other.reload();
  await other.getByRole('button', { name: 'Add rule' }).first().click();
  await other.getByRole('dialog').waitFor();
  await other.keyboard.press('Escape');
  step('with another role she may');

  // names, which the sidebar shows too
  await page.goto(stage.url + '/orgs/client/settings');
  await page.getByLabel('Name', { exact: true }).fill('Client & Daughters');
  await page.getByRole('button', { name: 'Save' }).first().click();
  await page.getByRole('button', { name: /Client & Daughters, switch organization/ }).waitFor();
  await other.goto(stage.url + '/account');
  await other.getByLabel('Name', { exact: true }).fill('Grace Hopper');
  await other.getByRole('button', { name: 'Save' }).click();
  await other.getByRole('button', { name: 'Grace Hopper, your account' }).waitFor();
  await page.goto(stage.url + '/orgs/main/team');
  await page.getByRole('row', { name: /Grace Hopper/ }).waitFor();
  step('an organization and a person have other names');

  // a team and a program, and what changes of them later
  await page.getByRole('link', { name: 'Teams', exact: true }).click();
  await page.getByRole('button', { name: 'New team' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('web');
  await page.getByRole('button', { name: 'Create team' }).click();
  await page.getByRole('heading', { name: 'web', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('websites');
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('heading', { name: 'websites', exact: true }).waitFor();
  await page.goto(stage.url + '/orgs/main/settings/programs');
  await page.getByRole('button', { name: 'Register application' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Deployer');
  await page.getByLabel('Redirect URIs').fill('https://deployer.example.com/back');
  await page.getByRole('dialog').getByRole('button', { name: 'Register', exact: true }).click();
  const first = await page.getByLabel('Client secret').innerText();
  await page.getByRole('button', { name: "I've saved it" }).click();
  await page.getByRole('button', { name: 'Edit Deployer' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Shipper');
  await page.getByLabel('Replace the client secret').check();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  want((await page.getByLabel('Client secret').innerText()) !== first, 'the secret is the old one');
  await page.getByRole('button', { name: "I've saved it" }).click();
  await page.getByRole('row', { name: /Shipper/ }).waitFor();
  step('a team has another name, and a program another secret');

  // the page that asks for consent: one sentence, details behind it, another account, and back to the program
  const client = await page.getByRole('row', { name: /Shipper/ }).getByText(/^[A-Za-z0-9_-]{16,}$/).innerText();
  const consent = `${stage.url}/oauth/authorize?${new URLSearchParams({ client_id: client, redirect_uri: 'https://deployer.example.com/back', response_type: 'code', scope: 'server:view', state: 's' })}`;
  const asked = await (await context(browser)).newPage();
  await asked.goto(consent);
  await audit(asked, 'consent sign-in');
  await asked.getByLabel('Email').fill(grace.email);
  await asked.getByLabel('Password').fill(grace.password);
  await asked.getByRole('button', { name: 'Sign in' }).click();
  await asked.getByText('wants to see things, and change nothing').waitFor();
  want(!(await asked.getByText('Client ID').isVisible()), 'the details are open');
  await asked.getByText('Details', { exact: true }).focus();
  await asked.keyboard.press('Enter');
  await asked.getByText('Client ID').waitFor();
  await audit(asked, 'consent');
  await asked.screenshot({ path: `${stage.shots}/consent.png` });
  await asked.getByRole('button', { name: 'Use another account' }).click();
  await asked.getByLabel('Email').fill(owner.email);
  await asked.getByLabel('Password').fill(owner.password);
  await asked.getByRole('button', { name: 'Sign in' }).click();
  await asked.getByText(`Signed in as ${owner.email}`).waitFor();
  let answered = '';
  await asked.route('https://deployer.example.com/**', (r) => {
    answered = r.request().url();
    return r.fulfill({ body: 'back' });
  });
  await asked.getByRole('button', { name: 'Deny' }).click();
  await asked.getByText('back').waitFor();
  want(/error=access_denied/.test(answered) && /state=s/.test(answered), 'the program is sent ' + answered);
  step('a program asked for consent, the account was changed, and it was denied');

  // a second factor
  await other.goto(stage.url + '/account');
  await other.getByRole('button', { name: 'Turn on' }).click();
  await other.getByRole('dialog').getByLabel('Password', { exact: true }).fill(grace.password);
  await other.getByRole('button', { name: 'Continue' }).click();
  const secret = (await other.getByLabel('Secret', { exact: true }).innerText()).trim();
  await other.getByLabel('Code', { exact: true }).fill(code(secret));
  await other.screenshot({ path: `${stage.shots}/totp.png` });
  await other.getByRole('dialog').getByRole('button', { name: 'Turn on' }).click();
  await other.getByLabel('Recovery codes').waitFor();
  step('a second factor is set up');
  const fresh = await (await context(browser)).newPage();
  await fresh.goto(stage.url + '/sign-in');
  await fresh.getByLabel('Email').fill(grace.email);
  await fresh.getByLabel('Password').fill(grace.password);
  await fresh.getByRole('button', { name: 'Sign in' }).click();
  await fresh.getByLabel('Code').fill('000000');
  await fresh.getByRole('button', { name: 'Sign in' }).click();
  await fresh.getByLabel('Code').and(fresh.locator('[aria-invalid=true]')).waitFor();
  await fresh.getByLabel('Code').fill(code(secret, Date.now() + 30_000)); // each code works once; the next one is taken a step early
  await fresh.getByRole('button', { name: 'Sign in' }).click();
  await fresh.waitForURL('**/orgs/*');
  step('and asked for at the next sign-in');

  // a forgotten password
  const lost = await (await context(browser)).newPage();
  await lost.goto(stage.url + '/sign-in');
  await lost.getByRole('link', { name: 'Forgot your password?' }).click();
  await lost.getByLabel('Email').fill(owner.email);
  await lost.getByRole('button', { name: 'Request link' }).click();
  await lost.getByText('check its inbox for the link').waitFor();
  const reset = await mailed(owner.email, 'http://\\S+/reset-password#\\S+');
  await lost.goto(reset);
  await lost.getByLabel('New password').fill(owner.password + ' again');
  await lost.getByRole('button', { name: 'Set password' }).click();
  await lost.getByText('all sessions were signed out').waitFor();
  want(!lost.url().includes('#'), 'the token is still in the address');
  await page.reload();
  await page.waitForURL('**/sign-in*');
  await signIn(lost, { ...owner, password: owner.password + ' again' });
  // and back, for the scripts that come after this one
  await lost.goto(stage.url + '/account');
  await lost.getByLabel('Current password').fill(owner.password + ' again');
  await lost.getByLabel('New password').fill(owner.password);
  await lost.getByRole('button', { name: 'Change password' }).click();
  await lost.getByText('Password changed. Your other sessions were signed out.').waitFor();
  step('a password was set anew by the link of the mail');
});
