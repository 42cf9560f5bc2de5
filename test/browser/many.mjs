// Ten thousand sites: the list renders what is visible, continues on scrolling, and the server filters.
import { context, main, signIn, stage, step, want } from './lib.mjs';

await main(async (browser) => {
  const c = await context(browser);
  const page = await c.newPage();
  await signIn(page);
  const asked = [];
  page.on('request', (r) => { if (/\/api\/orgs\/main\/sites\?/.test(r.url())) asked.push(r.url()); });
  const began = Date.now();
  await page.goto(stage.url + '/orgs/main/sites');
  await page.getByRole('row').nth(1).waitFor();
  step(`the list of ${stage.many} sites is there after ${Date.now() - began} ms`);
  const rows = () => page.getByRole('row').count();
  const seen = [];
  for (let i = 0; i < 40; i++) {
    await page.mouse.wheel(0, 4_000);
    await page.waitForTimeout(60); // as fast as a person can, not as fast as a machine
    seen.push(await rows());
  }
  want(Math.max(...seen) < 120, `${Math.max(...seen)} rows stand in the page`);
  await page.waitForFunction(() => scrollY > 20_000);
  const longest = await page.evaluate(() => new Promise((done) => {
    const gaps = [];
    let last = performance.now();
    let left = 60;
    const frame = (now) => {
      gaps.push(now - last);
      last = now;
      window.scrollBy(0, 700);
      if (--left > 0) requestAnimationFrame(frame);
      else done(gaps.sort((a, b) => a - b)[Math.floor(gaps.length * 0.95)]);
    };
    requestAnimationFrame(frame);
  }));
  step(`scrolled: at most ${Math.max(...seen)} rows in the page, ${asked.length} requests, 95 % of the frames within ${Math.round(longest)} ms`);
  await page.evaluate(() => scrollTo(0, 0));
  await page.getByLabel('Filter by name').fill('many-7777.');
  await page.getByRole('row', { name: /many-7777\./ }).waitFor();
  await page.getByText('1 site', { exact: true }).waitFor();
  want(asked.some((u) => decodeURIComponent(u).includes('filter[name]=many-7777.')), 'the server was not asked to filter');
  step('and one of them was found by the server');

  await page.goto(stage.url + '/orgs/main/servers');
  await page.getByRole('link', { name: 'many', exact: true }).click();
  await page.getByRole('navigation', { name: 'Server' }).getByRole('link', { name: 'Settings', exact: true }).click();
  await page.getByRole('button', { name: 'Delete server', exact: true }).click();
  await page.getByRole('dialog').getByText(`and ${stage.many - 8} more`).waitFor();
  step('what is said of all of them counts all of them');
});
