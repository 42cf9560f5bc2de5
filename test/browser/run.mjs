// What runs beside a site's requests, and its notifications: logs that are followed, a background process, a job with a
// heartbeat, a webhook with its deliveries, a notification channel, a Git provider that refuses its token, a recipe that runs, an
// nginx template, and a server that is rebooted from the notice about pending updates.
import { api, ask, context, main, signIn, stage, step, want } from './lib.mjs';

const web = 2;
const org = '/orgs/main';
const at = (where) => stage.url + org + where;
const request = (path) => ask('exec', { host: web, argv: ['curl', '-sS', '-o', '/dev/null', '-H', 'Host: app.example.com', 'http://127.0.0.1' + path] });

await main(async (browser) => {
  const c = await context(browser);
  const page = await c.newPage();
  await signIn(page);
  const sites = (await api(page, 'GET', org + '/sites?filter[name]=app.example.com')).body.data;
  want(sites.length === 1, 'there is no site app.example.com');
  const site = `/sites/${sites[0].id}`;
  const dialog = page.getByRole('dialog');
  const main = page.getByRole('main');

  const boot = () => ask('exec', { host: web, argv: ['cat', '/proc/sys/kernel/random/boot_id'] });
  const booted = await boot();
  await ask('exec', { host: web, argv: ['touch', '/run/reboot-required'] }); // seen when the server is next looked at

  await request('/first-of-the-log');
  await page.goto(at(site + '/logs'));
  const log = page.getByRole('log');
  await log.getByText('/first-of-the-log').first().waitFor();
  await page.getByRole('button', { name: 'Follow', exact: true }).click();
  await main.getByText('Live', { exact: true }).waitFor();
  await log.getByText('/first-of-the-log').first().waitFor();
  await request('/while-it-is-followed');
  await log.getByText('/while-it-is-followed').first().waitFor();
  await page.getByRole('button', { name: 'Following' }).click();
  await page.getByLabel('Search the log').fill('while-it-is');
  await log.getByText('/first-of-the-log').first().waitFor({ state: 'detached' });
  await log.getByText('/while-it-is-followed').first().waitFor();
  await page.getByLabel('Search the log').fill('');
  await page.getByRole('button', { name: 'Clear log' }).click();
  await dialog.getByRole('button', { name: 'Clear log' }).click();
  await page.getByText('Log cleared.').waitFor();
  await log.getByText('No requests yet.').waitFor();
  await request('/after-it-was-emptied');
  await page.getByRole('button', { name: 'Refresh' }).click();
  await log.getByText('/after-it-was-emptied').waitFor();
  step('a log was read, followed, searched and emptied');

  await page.getByRole('link', { name: 'Processes', exact: true }).click();
  await page.getByRole('button', { name: 'New process' }).click();
  await dialog.getByLabel('Command', { exact: true }).fill('while :; do echo "tick $(date +%s)"; sleep 1; done');
  await dialog.getByLabel('Name', { exact: true }).fill('Ticker');
  await dialog.getByLabel('Instances', { exact: true }).fill('1000');
  await dialog.getByRole('button', { name: 'Create process' }).click();
  await dialog.getByText('must not be more than 100').waitFor();
  await dialog.getByLabel('Instances', { exact: true }).fill('1');
  await dialog.getByRole('button', { name: 'Create process' }).click();
  await page.getByRole('row', { name: /Ticker.*Running/ }).waitFor();
  await page.getByRole('link', { name: 'Ticker' }).click();
  await page.getByRole('log').getByText(/tick \d+/).first().waitFor();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await main.getByText('Stopped', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await main.getByText('Running', { exact: true }).waitFor();
  step('a process was started, read, stopped and started again');

  await page.getByRole('link', { name: 'Scheduled jobs' }).click();
  await page.getByRole('button', { name: 'New job' }).click();
  await dialog.getByLabel('Command', { exact: true }).fill('echo the job ran');
  await dialog.getByLabel('Name', { exact: true }).fill('Report');
  await dialog.getByLabel('Schedule', { exact: true }).selectOption('minutely');
  await dialog.getByLabel("Notify me when it doesn't run").check();
  await dialog.getByRole('button', { name: 'Create job' }).click();
  await page.getByRole('row', { name: /Report.*Heartbeat.*Installed/ }).waitFor();
  await page.getByRole('link', { name: 'Heartbeats' }).click();
  await page.getByRole('row', { name: /Report/ }).waitFor();
  await page.getByRole('button', { name: 'New heartbeat' }).click();
  await dialog.getByLabel('Name', { exact: true }).fill('Import');
  await dialog.getByRole('button', { name: 'Create heartbeat' }).click();
  const line = await dialog.getByLabel('Ping command').innerText();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('row', { name: /Import.*Waiting for first ping/ }).waitFor();
  await ask('exec', { host: web, argv: ['sh', '-c', 'true ' + line] });
  await page.reload();
  await page.getByRole('row', { name: /Import.*On time/ }).waitFor();
  await page.goto(at(site));
  const health = page.getByRole('region', { name: 'Health' });
  await health.getByText(/^(On time|Waiting for first ping)$/).waitFor();
  await health.getByText('1 running', { exact: true }).waitFor();
  await page.goto(at(site + '/processes/heartbeats'));
  step('a job has a heartbeat, and another one beats, which the page of the site says');

  want(await page.getByRole('link', { name: 'Integrations' }).count() === 0, 'a site without PHP has a tab for packages of PHP');
  await page.goto(at(site + '/processes/integrations'));
  await page.getByRole('listitem').filter({ hasText: 'Horizon' }).getByText('Horizon is not installed').waitFor();
  want(await page.getByRole('button', { name: 'Turn on Horizon', exact: true }).getAttribute('aria-disabled') === 'true', 'Horizon can be switched on where it is not');

  await page.getByRole('link', { name: 'Deployments', exact: true }).click();
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('button', { name: 'Add webhook' }).click();
  await dialog.getByLabel('URL', { exact: true }).fill('nowhere');
  await dialog.getByRole('button', { name: 'Add webhook' }).click();
  await dialog.getByText(/^URL /).first().waitFor();
  await dialog.getByLabel('URL', { exact: true }).fill(stage.stage + '/hook');
  await dialog.getByRole('button', { name: 'Add webhook' }).click();
  await dialog.getByLabel('Secret').waitFor();
  await dialog.getByRole('button', { name: "I've saved it" }).click();
  await page.getByRole('link', { name: stage.stage + '/hook' }).click();
  await page.getByRole('button', { name: 'Send test', exact: true }).click();
  await page.getByRole('row', { name: /Test.*Delivered.*202/ }).waitFor();
  await page.getByRole('button', { name: /^Details of Test/ }).first().click();
  await dialog.getByLabel('Request').getByText('"status": "success"').waitFor();
  await dialog.getByLabel('Response').getByText('taken').waitFor();
  await page.keyboard.press('Escape');
  step('a webhook was told, and what it answered is there');

  await page.goto(at('/settings/notifications'));
  await page.getByRole('button', { name: 'Add channel' }).click();
  await dialog.getByLabel('Type', { exact: true }).selectOption('webhook');
  await dialog.getByLabel('Name', { exact: true }).fill('On call');
  await dialog.getByLabel('URL', { exact: true }).fill(stage.stage + '/hook');
  await dialog.getByRole('button', { name: 'Add channel' }).click();
  await dialog.getByRole('button', { name: "I've saved it" }).click();
  await page.getByRole('link', { name: 'On call' }).click();
  await page.getByRole('button', { name: 'Send test', exact: true }).click();
  await page.getByRole('row', { name: /Delivered.*202/ }).waitFor();
  step('a channel was told');

  await page.getByRole('link', { name: 'Git', exact: true }).click();
  await page.getByRole('button', { name: 'Connect a provider' }).click();
  await dialog.getByLabel('Provider', { exact: true }).selectOption('gitlab-custom');
  await dialog.getByLabel('Name', { exact: true }).fill('Default');
  await dialog.getByLabel('URL', { exact: true }).fill(stage.stage);
  await dialog.getByLabel('Token', { exact: true }).fill('glpat-nobody-knows-this-one');
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
  await dialog.locator('[aria-invalid=true]').first().waitFor();
  await page.keyboard.press('Escape');
  step('a provider that refuses is told where it was typed');

  await page.getByRole('link', { name: 'Recipes', exact: true }).click();
  await page.getByRole('link', { name: 'New recipe' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Install imagemagick');
  await page.getByLabel('Script', { exact: true }).fill('#!/usr/bin/env bash\nset -euo pipefail\n\napt-get update -q\napt-get install -yq imagemagick\n');
  await page.getByRole('button', { name: 'Create recipe' }).click();
  await page.getByRole('heading', { level: 1, name: 'Install imagemagick' }).waitFor();
  await page.getByLabel('Name', { exact: true }).fill('Install ImageMagick');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { level: 1, name: 'Install ImageMagick' }).waitFor();
  await page.getByLabel('Script', { exact: true }).fill('#!/usr/bin/env bash\necho "on {{ server_name }} as $(id -un)"\nsleep 2\n[ "{{ server_name }}" = web-1 ] || exit 7\necho all is well\n');
  want(await page.getByRole('button', { name: 'Run on servers' }).getAttribute('aria-disabled') === 'true', 'a script runs that was not saved');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  step('a recipe was written and changed');

  await page.getByRole('button', { name: 'Run on servers' }).click();
  await dialog.getByRole('button', { name: 'Run' }).click();
  await dialog.getByText('Choose between 1 and').waitFor();
  await dialog.getByLabel('web-1', { exact: true }).check();
  await dialog.getByLabel('edge', { exact: true }).check();
  await page.screenshot({ path: `${stage.shots}/recipe-choose.png` });
  await dialog.getByRole('button', { name: 'Run on 2 servers' }).click();
  await page.getByRole('row', { name: /web-1/ }).getByRole('link').click();
  await page.getByRole('log').getByText('on web-1 as root').waitFor();
  await page.screenshot({ path: `${stage.shots}/recipe-running.png` });
  await page.getByRole('log').getByText('all is well').waitFor();
  await main.getByText('Succeeded', { exact: true }).first().waitFor();
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Install ImageMagick' }).click();
  await page.getByRole('row', { name: /web-1.*Succeeded/ }).waitFor();
  await page.getByRole('row', { name: /edge.*Failed/ }).waitFor();
  await page.getByRole('row', { name: /edge/ }).getByRole('link').click();
  await page.getByRole('log').getByText('on edge as root').waitFor();
  await page.getByRole('region', { name: 'Operation' }).getByText('Failed').waitFor();
  step('it ran on two servers, was watched, and each has a result of its own');

  await page.goto(at('/servers/2/templates'));
  await page.getByRole('link', { name: 'New template' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Long caching');
  await page.getByLabel('Configuration', { exact: true }).fill('');
  await page.getByRole('button', { name: 'Create template' }).click();
  await page.getByText('Configuration must not be empty.').waitFor();
  await page.getByLabel('Configuration', { exact: true }).fill('server {\n    listen {{ PORT }};\n    server_name {{ DOMAINS }};\n    root {{ ROOT_PATH }};\n    add_header X-From-Template yes always;\n}\n');
  await page.getByRole('button', { name: 'Create template' }).click();
  await page.getByRole('heading', { level: 2, name: 'Long caching' }).waitFor();
  await page.goto(at('/sites/new?server=2'));
  await page.getByLabel('Domain', { exact: true }).fill('cached.example.com');
  await page.getByRole('radio', { name: /^Static files/ }).check();
  await page.getByText('More options: directory, www, user').click();
  await page.getByLabel('Nginx configuration', { exact: true }).selectOption({ label: 'From the template Long caching' });
  await page.getByRole('button', { name: 'Create site' }).click();
  await page.getByRole('heading', { level: 1, name: 'cached.example.com' }).waitFor();
  await page.getByText('Installed', { exact: true }).first().waitFor();
  const headers = await ask('exec', { host: web, argv: ['curl', '-sS', '-o', '/dev/null', '-D', '-', '-H', 'Host: cached.example.com', 'http://127.0.0.1/'] });
  want(/x-from-template: yes/i.test(headers), 'the template is not served: ' + headers);
  step('a site was made from a template');

  await page.goto(at('/settings/accounts'));
  await page.getByRole('button', { name: 'Connect an account' }).click();
  await dialog.getByLabel('Provider', { exact: true }).selectOption('aws');
  await dialog.getByLabel('Name', { exact: true }).fill('Our account');
  await dialog.getByLabel('Secret key', { exact: true }).fill('nobody-reads-this-again');
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
  await dialog.getByLabel('Access key', { exact: true }).and(page.locator('[aria-invalid=true]')).waitFor();
  await dialog.getByLabel('Access key', { exact: true }).fill('AKIA0');
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByRole('row', { name: /Our account.*Amazon/ }).waitFor();
  step('an account at a provider is kept');

  // updates wait for a reboot, which the notice offers
  await page.goto(at(''));
  const due = page.getByRole('listitem').filter({ hasText: 'A reboot is required to finish updates.' });
  await due.filter({ hasText: 'web-1' }).waitFor({ timeout: 120_000 });
  await page.screenshot({ path: `${stage.shots}/home-reboot.png` });
  await due.getByRole('button', { name: 'Reboot web-1' }).click();
  await dialog.getByRole('button', { name: 'Show plan' }).click();
  await dialog.getByLabel('Plan').getByText(/systemctl reboot/).waitFor();
  await page.screenshot({ path: `${stage.shots}/reboot-dialog.png` });
  await dialog.getByRole('button', { name: 'Reboot', exact: true }).click();
  await dialog.waitFor({ state: 'detached' }); // what is behind it has no roles meanwhile
  await due.waitFor({ state: 'detached' });
  await page.goto(at('/servers/2'));
  await page.getByText('Ready', { exact: true }).first().waitFor({ timeout: 180_000 });
  want(await boot() !== booted, 'it says that it is ready, and runs the same boot');
  want((await api(page, 'GET', org + '/attention')).body.data.every((a) => a.attributes.kind !== 'reboot-needed'), 'the reboot is still due');
  step('a server was rebooted from the first screen');
});
