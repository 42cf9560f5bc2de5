// A fleet that has measured itself for a month: plots of all servers, and a small one of each, in light, dark and on a phone.
import { createRequire } from 'node:module';
import { ask, context, main, signIn, stage, step, want } from './lib.mjs';

const require = createRequire(new URL('../../web/package.json', import.meta.url));
const { AxeBuilder } = require('@axe-core/playwright');
const org = '/orgs/main';
const looks = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
};

await main(async (browser) => {
  const server = await ask('measured');
  const site = await ask('visited');
  for (const [look, options] of Object.entries(looks)) {
    const c = await context(browser, options);
    const page = await c.newPage();
    const asked = [];
    page.on('request', (r) => /\/api\/.*\/metrics/.test(r.url()) && asked.push({ at: Date.now(), url: r.url() }));
    await signIn(page);
    const clean = async (name) => {
      await page.waitForFunction(() => !document.querySelector('[aria-label=Loading]'));
      await page.screenshot({ path: `${stage.shots}/${name}-${look}.png`, fullPage: true });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      want(wide <= 0, `${name} is ${wide} pixels wider than the screen`);
      const { violations } = await new AxeBuilder({ page }).analyze();
      want(violations.length === 0, `${name} ${look}: ${violations.map((v) => `${v.id} ${v.nodes.map((n) => n.target)}`).join('; ')}`);
    };
    want(asked.length === 0, `the first screen asks for metrics ${asked.length} times`);
    await page.goto(stage.url + org + '/servers');
    const all = page.getByRole('region', { name: 'All servers' });
    await all.getByRole('img', { name: /^CPU: \d/ }).waitFor();
    await page.getByRole('img', { name: /^CPU of fleet-3 in the last day, highest \d/ }).waitFor();
    want(asked.length > 0, 'a list asks for no metrics');
    for (const url of new Set(asked.map((a) => a.url))) { // plots begin with an hour where no server is older, and rows show a day
      const times = asked.filter((a) => a.url === url).map((a) => a.at);
      want(times.every((at, i) => i === 0 || at - times[i - 1] > 50_000), `a list asks for ${url} ${times.length} times, more than once in a minute`);
    }
    want(new Set(asked.map((a) => a.url)).size <= 2, 'a list asks for metrics by the row');
    await clean('fleet');
    await all.getByRole('button', { name: 'Month' }).click();
    await all.getByRole('button', { name: 'Month', pressed: true }).waitFor();
    await clean('fleet-month');
    await page.goto(`${stage.url}${org}/servers/${server}`);
    await page.getByRole('region', { name: 'Metrics' }).getByRole('img', { name: /^Network: / }).waitFor();
    await clean('server-metrics');
    await page.getByRole('region', { name: 'Metrics' }).getByRole('button', { name: 'Hour' }).click();
    await page.getByRole('button', { name: 'Hour', pressed: true }).waitFor();
    await clean('server-hour');
    await page.getByText('14 updates available, 3 security').waitFor();
    await page.getByRole('button', { name: 'Upgrade', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Security updates only (3)').check();
    await clean('upgrade-dialog');
    await page.goto(`${stage.url}${org}/servers/${server}/settings`);
    await page.getByRole('button', { name: 'Transfer', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Organization', { exact: true }).waitFor();
    await clean('transfer-dialog');
    await page.goto(`${stage.url}${org}/sites/${site}`);
    const requests = page.getByRole('region', { name: 'Requests' });
    await requests.getByRole('img', { name: /^Requests: \d.*\/min$/ }).waitFor();
    await requests.getByRole('img', { name: /^Errors: 5xx \d.*\/min, 4xx \d.*\/min$/ }).waitFor();
    await clean('site-requests');
    await c.close();
  }
  step('plots are drawn from one request');
});
