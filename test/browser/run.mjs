// What runs beside a site's requests, and who is told: logs that are followed, a background process, a job with a heartbeat, a webhook with its
// deliveries, a notification channel, a Git provider that refuses its token, a recipe.
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
  await page.getByLabel('Search in the log').fill('while-it-is');
  await log.getByText('/first-of-the-log').first().waitFor({ state: 'detached' });
  await log.getByText('/while-it-is-followed').first().waitFor();
  await page.getByLabel('Search in the log').fill('');
  await page.getByRole('button', { name: 'Empty the log' }).click();
  await dialog.getByRole('button', { name: 'Empty it' }).click();
  await page.getByText('The log was emptied.').waitFor();
  await log.getByText('Nobody asked for this site yet.').waitFor();
  await request('/after-it-was-emptied');
  await page.getByRole('button', { name: 'Read again' }).click();
  await log.getByText('/after-it-was-emptied').waitFor();
  step('a log was read, followed, searched and emptied');

  await page.getByRole('link', { name: 'Processes', exact: true }).click();
  await page.getByRole('button', { name: 'New process' }).click();
  await dialog.getByLabel('Command', { exact: true }).fill('while :; do echo "tick $(date +%s)"; sleep 1; done');
  await dialog.getByLabel('Name', { exact: true }).fill('Ticker');
  await dialog.getByLabel('At once', { exact: true }).fill('1000');
  await dialog.getByRole('button', { name: 'Start it' }).click();
  await dialog.getByText('must not be more than 100').waitFor();
  await dialog.getByLabel('At once', { exact: true }).fill('1');
  await dialog.getByRole('button', { name: 'Start it' }).click();
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
  await dialog.getByLabel('When', { exact: true }).selectOption('minutely');
  await dialog.getByLabel('Tell me when it did not run').check();
  await dialog.getByRole('button', { name: 'Schedule it' }).click();
  await page.getByRole('row', { name: /Report.*heartbeat.*Installed/ }).waitFor();
  await page.getByRole('link', { name: 'Heartbeats' }).click();
  await page.getByRole('row', { name: /Report/ }).waitFor();
  await page.getByRole('button', { name: 'New heartbeat' }).click();
  await dialog.getByLabel('Name', { exact: true }).fill('Import');
  await dialog.getByRole('button', { name: 'Make it' }).click();
  const line = await dialog.getByLabel('What to add to the job').innerText();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('row', { name: /Import.*Waits for the first call/ }).waitFor();
  await ask('exec', { host: web, argv: ['sh', '-c', 'true ' + line] });
  await page.reload();
  await page.getByRole('row', { name: /Import.*On time/ }).waitFor();
  step('a job has a heartbeat, and another one beats');

  await page.getByRole('link', { name: 'Integrations' }).click();
  await page.getByRole('listitem').filter({ hasText: 'Horizon' }).getByText('No Horizon').waitFor();
  want(await page.getByRole('button', { name: 'Switch on Horizon' }).getAttribute('aria-disabled') === 'true', 'Horizon can be switched on where it is not');

  await page.getByRole('link', { name: 'Deployments', exact: true }).click();
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('button', { name: 'Add a webhook' }).click();
  await dialog.getByLabel('Address', { exact: true }).fill('nowhere');
  await dialog.getByRole('button', { name: 'Add webhook' }).click();
  await dialog.getByText(/The url/).first().waitFor();
  await dialog.getByLabel('Address', { exact: true }).fill(stage.stage + '/hook');
  await dialog.getByRole('button', { name: 'Add webhook' }).click();
  await dialog.getByLabel('The secret').waitFor();
  await dialog.getByRole('button', { name: 'I have kept it' }).click();
  await page.getByRole('link', { name: stage.stage + '/hook' }).click();
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByRole('row', { name: /test.*Delivered.*202/ }).waitFor();
  await page.getByRole('button', { name: /^Details of test/ }).first().click();
  await dialog.getByLabel('What is sent').getByText('"status": "success"').waitFor();
  await dialog.getByLabel('What was answered').getByText('taken').waitFor();
  await page.keyboard.press('Escape');
  step('a webhook was told, and what it answered is there');

  await page.goto(at('/settings/notifications'));
  await page.getByRole('button', { name: 'Add a channel' }).click();
  await dialog.getByLabel('Kind', { exact: true }).selectOption('webhook');
  await dialog.getByLabel('Name', { exact: true }).fill('On call');
  await dialog.getByLabel('Address', { exact: true }).fill(stage.stage + '/hook');
  await dialog.getByRole('button', { name: 'Add channel' }).click();
  await dialog.getByRole('button', { name: 'I have kept it' }).click();
  await page.getByRole('link', { name: 'On call' }).click();
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByRole('row', { name: /Delivered.*202/ }).waitFor();
  step('a channel was told');

  await page.getByRole('link', { name: 'Git', exact: true }).click();
  await page.getByRole('button', { name: 'Connect a provider' }).click();
  await dialog.getByLabel('Where', { exact: true }).selectOption('gitlab-custom');
  await dialog.getByLabel('Name', { exact: true }).fill('Ours');
  await dialog.getByLabel('Address', { exact: true }).fill(stage.stage);
  await dialog.getByLabel('Token', { exact: true }).fill('glpat-nobody-knows-this-one');
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
  await dialog.locator('[aria-invalid=true]').first().waitFor();
  await page.keyboard.press('Escape');
  step('a provider that refuses is told where it was typed');

  await page.getByRole('link', { name: 'Recipes', exact: true }).click();
  await page.getByRole('link', { name: 'New recipe' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Install imagemagick');
  await page.getByLabel('Script', { exact: true }).fill('#!/usr/bin/env bash\nset -euo pipefail\n\napt-get update -q\napt-get install -yq imagemagick\n');
  await page.getByRole('button', { name: 'Keep it' }).click();
  await page.getByRole('heading', { level: 1, name: 'Install imagemagick' }).waitFor();
  await page.getByLabel('Name', { exact: true }).fill('Install ImageMagick');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { level: 1, name: 'Install ImageMagick' }).waitFor();
  step('a recipe was written and changed');
});
