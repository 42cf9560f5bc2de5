// What the dashboard costs whoever works with it: how long pages take after a click, and what an hour of a live log leaves in memory. Times are printed, as
// those of a busy machine say little; memory has a limit.
import { api, ask, context, main, signIn, stage, step, want } from './lib.mjs';
import { org, settled } from './places.mjs';

const web = 2;
const linesPerSecond = 10;
const mostMemory = 60_000_000; // bytes that an hour may add

/** clicked is how many milliseconds pass from the click on a link until its page shows its heading, and until it shows its data. */
const clicked = (page, name) => page.evaluate((name) => new Promise((done) => {
  const link = [...document.querySelectorAll('nav[aria-label=Main] a')].find((a) => a.textContent.trim().startsWith(name));
  const before = document.querySelector('h1');
  const began = performance.now();
  let heading = 0;
  const look = () => {
    const h1 = document.querySelector('h1');
    if (!heading && h1 && h1 !== before) heading = performance.now() - began;
    if (heading && !document.querySelector('[aria-label=Loading]')) done([heading, performance.now() - began]);
    else requestAnimationFrame(look);
  };
  link.click();
  requestAnimationFrame(look);
}), name);
const median = (all) => Math.round(all.sort((a, b) => a - b)[Math.floor(all.length / 2)]);

await main(async (browser) => {
  const c = await context(browser);
  const page = await c.newPage();
  await signIn(page);
  await settled(page);
  for (const visit of ['first', 'second', 'third']) {
    const headings = [], data = [];
    for (const name of ['Servers', 'Sites', 'Recipes', 'Team', 'Settings', 'Home']) {
      const [heading, all] = await clicked(page, name);
      headings.push(heading);
      data.push(all);
      await settled(page);
    }
    step(`${visit} visit: a page is there ${median(headings)} ms after the click, at most ${Math.round(Math.max(...headings))} ms, and its data ${median(data)} ms, at most ${Math.round(Math.max(...data))} ms`);
  }

  const cdp = await c.newCDPSession(page);
  const memory = async () => {
    await cdp.send('HeapProfiler.collectGarbage');
    return (await cdp.send('Runtime.getHeapUsage')).usedSize;
  };
  const megabytes = (n) => (n / 1e6).toFixed(1) + ' MB';
  await page.goto(`${stage.url}${org}/sites/${stage.site}/logs`);
  await page.getByRole('button', { name: 'Follow', exact: true }).click();
  await page.getByRole('main').getByText('Live', { exact: true }).waitFor();
  const file = (await api(page, 'GET', `${org}/servers/${web}/sites/${stage.site}/logs/nginx-access`)).body.data.meta.log.path;
  const before = await memory();
  const lines = 3600 * linesPerSecond;
  const perBatch = 600;
  for (let n = 0; n < lines; n += perBatch) {
    const more = Array.from({ length: perBatch }, (_, i) => `203.0.113.7 - - [24/Nov/2026:03:00:00 +0000] "GET /page-${n + i + 1} HTTP/1.1" 200 5120 "-" "Mozilla/5.0"`);
    await ask('exec', { host: web, argv: ['sh', '-c', 'printf "%s\\n" "$2" >>"$1"', 'sh', file, more.join('\n')] });
    await page.getByRole('log').getByText(`/page-${n + perBatch} `).first().waitFor();
  }
  const after = await memory();
  step(`an hour of a live log, ${lines} lines: ${megabytes(before)} of memory before, ${megabytes(after)} after`);
  want(after - before < mostMemory, `an hour of a live log takes ${megabytes(after - before)} of memory`);
});
