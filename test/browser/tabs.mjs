// Six tabs on HTTP/1.1, where a browser has six connections: they share one event stream, which is closed when none is in sight.
import { ask, context, main, signIn, stage, step, want } from './lib.mjs';

const streams = new Map(); // of each request its tab
const until = async (what, ok) => {
  for (let i = 0; !(await ok()); i++) {
    want(i < 600, what());
    await new Promise((done) => setTimeout(done, 100));
  }
};
const open = (n, when) => until(() => `${streams.size} streams ${when}, not ${n}`, () => streams.size === n);

/** sight says to a tab that it is in sight or not, as a browser does. */
const sight = (page, hidden) => page.evaluate((hidden) => {
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
  document.dispatchEvent(new Event('visibilitychange'));
}, hidden);

await main(async (browser) => {
  const c = await context(browser);
  const ofStream = (r) => r.url().endsWith('/events/stream');
  const ended = (r) => streams.delete(r);
  c.on('request', (r) => ofStream(r) && streams.set(r, r.frame().page()));
  c.on('page', (p) => p.on('close', () => [...streams].forEach(([r, of]) => of === p && streams.delete(r))));
  c.on('requestfinished', ended);
  c.on('requestfailed', ended);
  const read = new Map();
  const tabs = [];
  for (let i = 0; i < 6; i++) {
    const page = await c.newPage();
    page.on('request', (r) => r.method() === 'GET' && /\/orgs\/main\/events\?/.test(r.url()) && read.set(page, (read.get(page) ?? 0) + 1));
    if (i === 0) await signIn(page);
    else await page.goto(stage.url + '/orgs/main/activity');
    await page.getByRole('table', { name: 'Events' }).waitFor();
    tabs.push(page);
  }
  await open(1, 'with six tabs');
  const began = Date.now();
  const seventh = await c.newPage();
  await seventh.goto(stage.url + '/orgs/main/sites');
  await seventh.getByRole('link', { name: 'shop.example.com' }).first().waitFor();
  await seventh.close();
  step(`six tabs have one stream, and a seventh is there in ${Date.now() - began} ms`);

  read.clear();
  await ask('say', { match: 'hello' });
  await until(() => `${read.size} of six tabs read what happened`, () => read.size === 6);
  step('what happens is seen in all of them');

  const [leader] = streams.values();
  await leader.close();
  tabs.splice(tabs.indexOf(leader), 1);
  await open(1, 'after the tab that had it was closed');
  want([...streams.values()][0] !== leader, 'the stream is the closed tab’s');
  await until(() => 'the next tab is not connected', async () => (await tabs[0].getByText('Connection lost').count()) === 0);
  read.clear();
  await ask('say', { match: 'again' });
  await until(() => `${read.size} of five tabs read what happened`, () => read.size === 5);
  step('another tab takes over');

  for (const tab of tabs) await sight(tab, true);
  await open(0, 'out of sight');
  read.clear();
  await sight(tabs[1], false);
  await open(1, 'in sight again');
  await until(() => 'what was missed is not read', () => read.has(tabs[1]));
  step('closed out of sight, and read again in sight');
});
