// Several servers and sites at once: chosen by keys and by mouse, planned together, an ordinary operation each, and a result each.
import { api, ask, context, main, signIn, stage, step, want } from './lib.mjs';

const org = '/orgs/main';

await main(async (browser) => {
  const c = await context(browser);
  const page = await c.newPage();
  const sent = [];
  page.on('request', (r) => { if (r.method() === 'POST' && !r.url().includes('dry_run')) sent.push([r.url(), r.headers()['idempotency-key']]); });
  await signIn(page);
  const dialog = page.getByRole('dialog');
  const bar = page.getByRole('region', { name: 'Selection' });
  const result = (name) => dialog.getByRole('listitem').filter({ hasText: name });

  // a recipe on two servers: one fails, and the other does not know of it
  const recipe = `Only on web-1, ${Date.now()}`;
  const made = await api(page, 'POST', org + '/recipes', { name: recipe, user: 'root', script: '[ "{{ server_name }}" = web-1 ] || { echo "not here" >&2; exit 7; }\necho here\n' });
  want(made.status === 200, 'no recipe: ' + JSON.stringify(made.body));
  await page.goto(stage.url + org + '/servers');
  want((await bar.count()) === 0, 'there is a bar before anything is selected');
  await page.getByLabel('Select web-1', { exact: true }).focus();
  await page.keyboard.press('Space');
  await bar.getByText('1 server selected').waitFor();
  await page.getByLabel('Filter by name').fill('edge');
  await page.getByRole('row', { name: /web-1/ }).waitFor({ state: 'detached' });
  await page.getByLabel('Select edge', { exact: true }).check();
  await bar.getByText('2 servers selected').waitFor(); // a filter hides a row, and does not forget it
  await bar.getByRole('button', { name: 'Run recipe' }).click();
  const run = dialog.getByRole('button', { name: 'Run on 2 servers' });
  want((await run.getAttribute('aria-disabled')) === 'true', 'a recipe runs before one is chosen');
  await dialog.getByLabel('Recipe', { exact: true }).selectOption({ label: recipe });
  sent.length = 0;
  await run.click();
  await result('web-1').getByText('Succeeded').waitFor();
  await result('edge').getByText('Failed').waitFor();
  await dialog.getByText('1 succeeded, 1 failed.').waitFor();
  await page.screenshot({ path: `${stage.shots}/bulk-results.png` });
  want(sent.length === 2 && sent[0][1] && sent[1][1] && sent[0][1] !== sent[1][1], 'not one keyed request for each: ' + JSON.stringify(sent));
  await result('web-1').getByRole('link', { name: 'Output' }).click();
  await page.getByRole('log').getByText('here', { exact: true }).waitFor();
  step('a recipe ran on two servers, with a result of each');

  // the panel dies between the request and its answer: sent again, it is done once
  await page.goto(stage.url + org + '/servers');
  await page.getByLabel('Select web-1', { exact: true }).check();
  await bar.getByRole('button', { name: 'Run recipe' }).click();
  await dialog.getByLabel('Recipe', { exact: true }).selectOption({ label: recipe });
  const count = async () => (await api(page, 'GET', `${org}/recipes/${made.body.data.id}/runs`)).body.data.length;
  const before = await count();
  await page.route('**/runs', async (route) => { await route.fetch(); await route.abort(); }, { times: 1 });
  await dialog.getByRole('button', { name: 'Run on 1 server' }).click();
  await result('web-1').getByText('not responding').waitFor();
  await dialog.getByText('1 not started.').waitFor();
  await result('web-1').getByRole('button', { name: 'Try again' }).click();
  await result('web-1').getByText('Succeeded').waitFor();
  want((await count()) === before + 1, `it ran ${(await count()) - before} times`);
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
  await bar.getByRole('button', { name: 'Clear' }).click();
  await bar.waitFor({ state: 'detached' });
  want(await page.evaluate(() => document.activeElement?.getAttribute('data-select') !== null), 'the focus is lost');
  step('an answer that was lost does nothing twice');

  // reboots: one plan for both, and nothing before it is confirmed
  const boot = (host) => ask('exec', { host, argv: ['cat', '/proc/sys/kernel/random/boot_id'] });
  const booted = [await boot(1), await boot(2)];
  await page.getByLabel('Select web-1', { exact: true }).check();
  await page.getByLabel('Select edge', { exact: true }).check();
  await bar.getByRole('button', { name: 'Reboot' }).click();
  await dialog.getByRole('button', { name: 'Show plan' }).click();
  const plan = dialog.getByRole('region', { name: 'Plan' });
  await plan.getByText('2 actions on 2 servers').waitFor();
  await plan.getByRole('heading', { name: 'edge' }).waitFor();
  want((await boot(1)) === booted[0] && (await boot(2)) === booted[1], 'a plan rebooted something');
  await page.screenshot({ path: `${stage.shots}/bulk-plan.png` });
  await dialog.getByRole('button', { name: 'Reboot 2 servers' }).click();
  await dialog.getByText('2 succeeded.').waitFor({ timeout: 180_000 });
  want((await boot(1)) !== booted[0] && (await boot(2)) !== booted[1], 'it says that both were rebooted, and they run the same boot');
  await page.goto(stage.url + org + '/servers/2');
  const metrics = page.getByRole('region', { name: 'Metrics' });
  await metrics.getByRole('listitem').filter({ hasText: 'Reboot' }).first().waitFor();
  want((await metrics.locator('svg title').allTextContents()).some((t) => /reboot/i.test(t)), 'the reboot is not marked on the plots');
  step('two servers were planned together, and rebooted; the plots show when');

  // sites: what can't be deployed is left out, and says why
  await page.goto(stage.url + org + '/sites');
  await page.getByLabel('Select app.example.com', { exact: true }).check();
  await page.getByLabel('Select shop.example.com', { exact: true }).first().check();
  await page.getByLabel('Select shop.example.com', { exact: true }).last().check();
  await bar.getByRole('button', { name: 'Deploy' }).click();
  await dialog.getByText('Load balancers have no code to deploy.').waitFor();
  await dialog.getByText('No repository connected.').waitFor();
  await dialog.getByRole('button', { name: 'Deploy 1 site' }).click();
  await result('app.example.com').getByText('Succeeded').waitFor({ timeout: 180_000 });
  const shown = await api(page, 'GET', `${org}/servers/2/sites/${stage.site}/deployments?sort=-created_at&page[size]=1`);
  want(shown.body.data[0].attributes.status === 'finished', 'it is said to have succeeded, and is ' + shown.body.data[0].attributes.status);
  step('a site was deployed, and two were left out with a reason');

  // a server's page says what runs on it, what happened last and when it is backed up next, and does what is done most
  await page.goto(`${stage.url}${org}/servers/2`);
  await page.getByRole('region', { name: 'Sites' }).getByRole('listitem').filter({ hasText: 'app.example.com' }).getByText('Deployed').waitFor();
  const { body: me } = await api(page, 'GET', '/me');
  await page.getByRole('region', { name: 'Last activity' }).getByRole('row').filter({ hasText: me.data.attributes.name }).first().waitFor();
  want((await page.getByRole('region', { name: 'Next backups' }).count()) === 0, 'a server without databases has backups');
  const { body: backups } = await api(page, 'GET', org + '/servers/3/database/backups');
  await page.goto(`${stage.url}${org}/servers/3`);
  const next = page.getByRole('region', { name: 'Next backups' });
  if (backups.data.length === 0) await next.getByText('No backups configured.').waitFor();
  for (const b of backups.data.slice(0, 6)) await next.getByRole('listitem').filter({ hasText: b.attributes.name }).getByText(/^Next/).waitFor();
  await page.goto(`${stage.url}${org}/servers/2`);
  const { body: server } = await api(page, 'GET', org + '/servers/2');
  await page.getByText(`forge@${server.data.attributes.ip_address}`).waitFor();
  await page.getByRole('button', { name: 'Copy SSH command' }).waitFor();
  const since = () => ask('exec', { host: 2, argv: ['systemctl', 'show', '-P', 'ActiveEnterTimestampMonotonic', 'nginx'] });
  const started = await since();
  await page.getByRole('button', { name: 'Restart services' }).click();
  await dialog.getByRole('button', { name: /^Restart \d+ services$/ }).click();
  await result('nginx').getByText('Succeeded').waitFor({ timeout: 180_000 });
  await dialog.getByText(/^\d+ succeeded\.$/).waitFor({ timeout: 180_000 });
  want((await since()) !== started, 'nginx was not restarted');
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
  await page.getByRole('button', { name: 'Deploy all sites' }).click();
  await dialog.getByRole('button', { name: /^Deploy \d+ sites?$/ }).click();
  await result('app.example.com').getByText('Succeeded').waitFor({ timeout: 180_000 });
  await page.screenshot({ path: `${stage.shots}/server-deployed.png` });
  step("a server's page restarts its services and deploys its sites");
});
