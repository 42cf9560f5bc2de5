// What all scripts share: a browser that notices what must not happen, and the way to the test that started them.
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { chromium } from '../../web/node_modules/playwright-core/index.mjs';

export const stage = JSON.parse(process.env.HOSTLER_STAGE);
export const owner = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery staple' };

export async function ask(what, body = {}) {
  const answer = await fetch(stage.stage + '/' + what, { method: 'POST', body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${what}: ${text}`);
  return text;
}

const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
  // a page that does not come from the network may ask none in a private one
  ...(process.env.HOSTLER_DIST ? ['--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests,PrivateNetworkAccessChecks'] : [])];
export const launch = () => chromium.launch({ executablePath: stage.browser, args: flags });

/** bad is everything that must not happen in a browser: script errors, broken policies, dialogs, what was run that is only text. */
export const bad = [];

export async function context(browser, options = {}) {
  // Without motion: a wheel that turns while a server is set up is drawn sixty times a second, without a graphics card by the processor.
  const c = await browser.newContext({ viewport: { width: 1280, height: 860 }, permissions: [], reducedMotion: 'reduce', ...options });
  c.setDefaultTimeout(60_000); // a busy machine is slow, and right all the same
  await c.addInitScript(() => {
    window.__policy = [];
    document.addEventListener('securitypolicyviolation', (e) => console.error(`policy: ${e.violatedDirective} ${e.blockedURI} ${e.sample}`));
    window.fired = (what) => console.error('fired: ' + what);
  });
  if (process.env.HOSTLER_DIST) await built(c, process.env.HOSTLER_DIST);
  if (stage.letters) await hidden(c);
  c.on('page', (page) => {
    page.on('pageerror', (e) => bad.push(`error in the page ${page.url()}: ${e.stack}`));
    page.on('dialog', (d) => { bad.push(`a dialog: ${d.message()}`); void d.dismiss(); });
    page.on('console', (m) => {
      const text = m.text();
      if (/^(policy|fired):/.test(text) || /Content Security Policy|Trusted|Cross-Origin-Opener-Policy/.test(text) || /Warning:|not wrapped|hydrat/.test(text)) bad.push(`${page.url()}: ${text}`);
    });
  });
  return c;
}

/** built serves the dashboard from a directory instead of the one in the program, for whoever changes it. */
async function built(c, dir) {
  await c.route((u) => u.origin === stage.url && !u.pathname.startsWith('/api/'), async (route) => {
    const path = new URL(route.request().url()).pathname;
    if (path.startsWith('/assets/')) return /\.(js|css)$/.test(path) ? route.fulfill({ contentType: path.endsWith('.js') ? 'text/javascript' : 'text/css', body: gunzipSync(await readFile(`${dir}${path}.gz`)) }) : route.fulfill({ path: dir + path });
    const answer = await route.fetch();
    const text = await answer.text();
    return route.fulfill({ response: answer, body: text.includes('<div id="root">') ? await readFile(dir + '/index.html', 'utf8') : text });
  });
}

/** hidden writes the sentences of the API in letters that no program can read: the dashboard acts by codes, and takes no sentence apart. */
async function hidden(c) {
  await c.addInitScript(() => { // what the page shows of them is read back for the scripts, after it was made
    const other = /[\u0250-\u0283]/, all = /[\u0250-\u0283]/g;
    const plain = (text) => text.replace(all, (l) => String.fromCharCode(l.charCodeAt(0) - 0x250 + (l < '\u026a' ? 97 : 65 - 26)));
    const read = (node) => {
      if (node.nodeType === Node.TEXT_NODE && other.test(node.nodeValue)) node.nodeValue = plain(node.nodeValue);
      if (node.nodeType !== Node.ELEMENT_NODE) return;
      for (const a of node.attributes) if (other.test(a.value)) a.value = plain(a.value);
      node.childNodes.forEach(read);
    };
    new MutationObserver((changes) => changes.forEach((m) => (m.type === 'childList' ? m.addedNodes.forEach(read) : read(m.target))))
      .observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  });
  await c.route((u) => u.origin === stage.url && u.pathname.startsWith('/api/') && !/\/(stream|download)$/.test(u.pathname), async (route) => {
    try {
      const answer = await route.fetch({ maxRedirects: 0 });
      const text = /json/.test(answer.headers()['content-type'] ?? '') ? await ask('hide', { match: await answer.text() }) : undefined;
      await route.fulfill(text === undefined ? { response: answer } : { response: answer, body: text });
    } catch {
      await route.abort().catch(() => undefined); // the page is gone, or the panel
    }
  });
}

/** setUp creates the first account, with the link that the operator sees. */
export async function setUp(page) {
  await page.goto(await ask('log', { match: 'http://\\S+/setup#\\S+' }));
  await page.getByLabel('Name').fill(owner.name);
  await page.getByLabel('Email').fill(owner.email);
  await page.getByLabel('Password').fill(owner.password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Get started' }).waitFor();
}

export async function signIn(page, who = owner) {
  await page.goto(stage.url + '/sign-in');
  await page.getByLabel('Email').fill(who.email);
  await page.getByLabel('Password').fill(who.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/orgs/*');
}

/** mailed is what matches in a mail to an address, as soon as there is one. */
export async function mailed(to, match) {
  for (let i = 0; ; i++) {
    try {
      return await ask('mail', { to, match });
    } catch (error) {
      if (i > 300) throw error;
      await new Promise((done) => setTimeout(done, 100));
    }
  }
}

/** api asks as the page's person does. */
export const api = (page, method, path, body) => page.evaluate(async ([method, path, body]) => {
  const r = await fetch('/api' + path, { method, headers: { 'Content-Type': 'application/json', 'X-Hostler-Csrf': '1' }, body: body === null ? undefined : JSON.stringify(body) });
  const text = await r.text();
  return { status: r.status, body: text ? JSON.parse(text) : null };
}, [method, path, body ?? null]);

let began = Date.now();
export function step(text) {
  console.log(`${((Date.now() - began) / 1000).toFixed(1)} s ${text}`);
}

export function want(ok, text) {
  if (!ok) throw new Error(text);
}

/** main runs a script, and fails for what must not happen even where every step went well. */
export async function main(run) {
  const browser = await launch();
  try {
    await run(browser);
    want(bad.length === 0, 'must not happen:\n' + bad.join('\n'));
  } catch (error) {
    for (const c of browser.contexts()) for (const p of c.pages()) {
      console.log('at ' + p.url());
      if (stage.shots) await p.screenshot({ path: `${stage.shots}/failed.png` }).catch(() => undefined);
      console.log((await p.locator('body').innerText().catch(() => '')).slice(0, 2000));
    }
    console.log(error.stack);
    process.exitCode = 1;
  } finally {
    await browser.close();
  }
}
