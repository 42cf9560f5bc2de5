// An address that is no member's: it is unconfirmed, its owner confirms it without an account, and then it is not.
import { api, context, mailed, main, setUp, stage, step, want } from './lib.mjs';

const address = 'owner-of-the-address@example.com';

await main(async (browser) => {
  const mine = await context(browser);
  const page = await mine.newPage();
  await setUp(page);
  const made = await api(page, 'POST', '/orgs/main/notification-channels', { name: 'ops', type: 'mail', address, events: ['backup.failed'] });
  want(made.status < 300, 'no channel: ' + JSON.stringify(made));
  await page.goto(stage.url + '/orgs/main/settings/notifications');
  const row = page.getByRole('row', { name: /ops/ });
  await row.getByText('Unconfirmed').waitFor();
  step('the address is unconfirmed');

  const theirs = await context(browser); // who has no account
  const other = await theirs.newPage();
  await other.goto(stage.url + '/confirm-recipient');
  await other.getByText('Open the complete link from the email.').waitFor();
  const wrong = await theirs.newPage();
  await wrong.goto(stage.url + '/confirm-recipient#wrong');
  await wrong.getByRole('button', { name: 'Confirm', exact: true }).click();
  await wrong.getByRole('alert').first().waitFor();
  await page.reload();
  await row.getByText('Unconfirmed').waitFor();
  step('half a link and a wrong one confirm nothing');

  const link = await mailed(address, 'http://\\S+/confirm-recipient#\\S+');
  const right = await theirs.newPage();
  await right.goto(link);
  await right.getByRole('button', { name: 'Confirm', exact: true }).waitFor();
  await page.reload();
  await row.getByText('Unconfirmed').waitFor(); // opening it, as mail scanners do, confirms nothing
  await right.getByRole('button', { name: 'Confirm', exact: true }).click();
  await right.getByRole('status').getByText('Notifications are sent to your address.').waitFor();
  await page.reload();
  await row.waitFor();
  want((await row.getByText('Unconfirmed').count()) === 0, 'it is unconfirmed still');
  step('a click confirms it');
});
