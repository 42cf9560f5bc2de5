// Every main screen in light, dark and on a phone: a picture of each, no violation that axe knows, nothing wider than the screen.
import { createRequire } from 'node:module';
import { context, main, signIn, stage, step, want } from './lib.mjs';
import { org, over, screens, settled } from './places.mjs';

const require = createRequire(new URL('../../web/package.json', import.meta.url));
const { AxeBuilder } = require('@axe-core/playwright');

const mostScript = 150_000; // bytes of gzipped JavaScript at the first load
const mostFirst = 40; // requests of the first load, with those to the API

const looks = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
};

/** overlaps are the things to press that lie on each other, where somebody would press the wrong one. */
function overlaps() {
  const top = document.querySelector('[role=dialog]') ?? document.querySelector('main') ?? document.body;
  const seen = (e) => { // what of it is not cut off by something that scrolls
    let { left, right, top, bottom } = e.getBoundingClientRect();
    for (let box = e.parentElement; box; box = box.parentElement) {
      if (getComputedStyle(box).overflow === 'visible') continue;
      const r = box.getBoundingClientRect();
      [left, right, top, bottom] = [Math.max(left, r.left), Math.min(right, r.right), Math.max(top, r.top), Math.min(bottom, r.bottom)];
    }
    return { left, right, top, bottom };
  };
  const all = [...top.querySelectorAll('button, a[href], input, select, textarea')].filter((e) => e.checkVisibility()).map((e) => [e, seen(e)]);
  const found = [];
  all.forEach(([e, a], i) => all.slice(i + 1).forEach(([f, b]) => {
    const [wide, high] = [Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)];
    if (wide > 3 && high > 3 && !e.contains(f) && !f.contains(e)) found.push(`${e.innerText || e.name} and ${f.innerText || f.name} lie on each other`);
  }));
  return found;
}

const wrong = [];
// What axe judges is the same on a phone, but for these, which are laid out in another way there.
const onPhone = ['sign-in', 'home', 'servers', 'firewall', 'balancing', 'rule-dialog', 'ssh-keys', 'php', 'deployments', 'deployment', 'backup', 'redirects', 'domain', 'logs', 'processes', 'notifications', 'recipe', 'recipe-run', 'template', 'run-dialog'];

async function look(page, name) {
  await settled(page);
  await page.screenshot({ path: `${stage.shots}/${name}.png` });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (wide > 0) wrong.push(`${name}: ${wide} pixels wider than the screen`);
  for (const pair of await page.evaluate(overlaps)) wrong.push(`${name}: ${pair}`);
  if (name.endsWith('-phone') && !onPhone.includes(name.replace('-phone', ''))) return;
  const found = await new AxeBuilder({ page }).analyze();
  for (const v of found.violations) wrong.push(`${name}: ${v.id}: ${v.help}\n` + v.nodes.slice(0, 4).map((n) => `    ${n.target} ${n.failureSummary?.split('\n').slice(1, 3).join(' ')}`).join('\n'));
}

await main(async (browser) => {
  // the weight and the speed of a first visit
  {
    const c = await context(browser);
    const page = await c.newPage();
    await signIn(page);
    const fresh = await context(browser, { storageState: await c.storageState() });
    const visit = await fresh.newPage();
    await visit.goto(stage.url + org);
    await settled(visit);
    const { script, requests, blocking, paint } = await visit.evaluate(() => {
      const all = performance.getEntriesByType('resource');
      return {
        script: all.filter((r) => /\.js(\?|$)/.test(r.name)).reduce((n, r) => n + r.encodedBodySize, 0),
        requests: all.length,
        blocking: all.filter((r) => r.renderBlockingStatus === 'blocking').map((r) => new URL(r.name).pathname),
        paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
      };
    });
    // When it is painted depends on the machine, and is only printed.
    step(`first load: ${script} bytes of gzipped JavaScript, ${requests} requests, ${blocking.length} before the first paint, which came after ${Math.round(paint)} ms`);
    want(script > 20_000 && script <= mostScript, `the first load takes ${script} bytes of JavaScript, and may take ${mostScript}`);
    want(requests <= mostFirst, `the first load takes ${requests} requests, and may take ${mostFirst}`);
    want(blocking.filter((path) => path !== '/theme.js' && !path.endsWith('.css')).length === 0 && blocking.length <= 2, `the first paint waits for ${blocking.join(', ')}`);
    await c.close();
    await fresh.close();
  }
  const only = process.env.HOSTLER_LOOKS?.split(',');
  const pages = process.env.HOSTLER_SCREENS?.split(',');
  const chosen = (all) => Object.entries(all).filter(([name]) => !pages || pages.includes(name));
  for (const [theme, options] of Object.entries(looks).filter(([name]) => !only || only.includes(name))) {
    const c = await context(browser, options);
    const page = await c.newPage();
    await page.goto(stage.url + '/sign-in');
    await look(page, `sign-in-${theme}`);
    await page.goto(stage.url + '/forgot-password');
    await look(page, `forgot-${theme}`);
    await signIn(page);
    for (const [name, path] of chosen(screens)) {
      await page.goto(stage.url + path);
      await look(page, `${name}-${theme}`);
    }
    for (const [name, [path, open]] of chosen(over)) {
      await page.goto(stage.url + path);
      await settled(page);
      await open(page);
      if (!/-open$|^not-found$/.test(name)) await page.getByRole('dialog').waitFor();
      await look(page, `${name}-${theme}`);
    }
    await c.close();
    step(`${theme}: ${chosen(screens).length + chosen(over).length + 2} screens`);
  }
  want(wrong.length === 0, wrong.join('\n'));
});
