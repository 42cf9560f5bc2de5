// Every form of the dashboard, found in its sources and opened from its screens: what was typed survives a panel that stopped, a subject that is gone, a session
// that ended, a change in another tab, going away and back, and a reload, and secrets are never stored. There is no panel: the API is the description's, with a
// made-up answer to each request.
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { answers } from './answers.mjs';
import { bad, context, main, step, want } from './lib.mjs';

const web = '../../web/';
const kinds = { html: 'text/html', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml', woff2: 'font/woff2' };
const atOnce = 2; // screens
const only = process.env.HOSTLER_SCREENS && new RegExp(process.env.HOSTLER_SCREENS);

/** signedOut are the forms of who is not signed in; they are walked through by setup.mjs and people.mjs. */
const signedOut = 'account/sign.tsx';

/** elsewhere are screens with forms that only the rare answers show. */
const elsewhere = /^\/account$|\/(integrations|redirects|restore|teams\/1|sites\/1\/settings)$/;

/** Secrets are compared while the form is open, and have to be gone after. */
const secret = 'Typed-s3cret';
const values = { number: '7', date: '2031-05-06', 'datetime-local': '2031-05-06T07:08', time: '07:08', email: 'typed@example.com', url: 'https://typed.example.com', password: secret };

/** forms are the forms of the sources, with the texts that their buttons may have. */
function forms() {
  const out = [];
  for (const file of readdirSync(web + 'src/pages', { recursive: true }).filter((n) => n.endsWith('.tsx') && n !== signedOut)) {
    const source = readFileSync(`${web}src/pages/${file}`, 'utf8');
    const at = (found) => `${file}:${source.slice(0, found.index).split('\n').length}`;
    const given = [...source.matchAll(/\bsubmit=\{(t`[^`]*`)\}/g)].map(([, text]) => text).join(); // to a component that has the form
    for (const form of source.matchAll(/<Form\b[\s\S]*?\bsubmit=\{(\w+(?=\})|[\s\S]*?`)\}[\s>]/g)) {
      const texts = [...(/^\w+$/.test(form[1]) ? given : form[1]).matchAll(/`([^`]*)`/g)].map(([, text]) => new RegExp('^' + text.replace(/[.*+?^()|[\]\\]/g, '\\$&').replace(/\$\{[^}]*\}/g, '.*') + '$'));
      out.push({ at: at(form), texts });
    }
    for (const form of source.matchAll(/<Setting\b/g)) out.push({ at: at(form), texts: [/^Save$/] }); // of the kit
  }
  return out;
}

/** addresses are those of all screens for who is signed in, with 1 for each id. */
function addresses() {
  const app = readFileSync(web + 'src/app.tsx', 'utf8');
  const org = '/orgs/main', site = org + '/sites/1';
  const under = {
    org, server: org + '/servers/1', site, deployments: site + '/deployments', processes: site + '/processes', logs: site + '/logs',
    team: org + '/team', settings: org + '/settings', account: '/account', orgs: '/orgs',
  };
  const found = [...app.matchAll(/\bin([A-Z]\w+)\(\s*'([^']*)'/g), ...app.matchAll(/getParentRoute: \(\) => (\w+),\s*path: '([^']*)'/g)];
  const all = found.filter(([, of]) => under[of.toLowerCase()]).map(([, of, path]) => (under[of.toLowerCase()] + path).replace(/\$\w+/g, '1').replace(/\/$/, ''));
  return [...new Set(all)].filter((a) => !only || only.test(a));
}

/** Panel answers for one tab: mode is ok, down (no answers), gone (changes find nothing) or out (the session has ended). */
class Panel {
  mode = 'ok';
  edition = { nth: 0, rare: false }; // how often something else has changed everything, and which answers are given
  wrote = 0; // changes that were requested
  streams = new Set();
  reads = new Set(); // what waits for the next read

  async open() {
    this.server = createServer((request, response) => this.answer(request, response));
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    return this;
  }

  answer(request, response) {
    const { pathname } = new URL(request.url, 'http://panel'), { method } = request;
    const json = (status, body) => response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body ?? {}));
    request.resume();
    if (!pathname.startsWith('/api/')) return this.file(pathname, response);
    if (pathname.endsWith('/stream')) {
      this.streams.add(response.writeHead(200, { 'Content-Type': 'text/event-stream' }));
      return void response.write(': open\n\n');
    }
    if (pathname === '/api/auth/login') this.mode = 'ok';
    else if (method !== 'GET') this.wrote++;
    if (this.mode === 'down') return request.socket.destroy();
    if (this.mode === 'out') return json(401, { message: 'Unauthenticated.' });
    if (this.mode === 'gone' && method !== 'GET') return json(404, { message: 'Not found.' });
    const { status, body } = reply(method, pathname.slice('/api'.length), this.edition);
    json(status, body);
    if (method === 'GET') for (const read of this.reads) read();
  }

  file(path, response) {
    const name = /\.(js|css|svg|woff2)$/.test(path) ? path : '/index.html';
    const packed = /^\/assets\/.*\.(js|css)$/.test(name);
    const headers = { 'Content-Type': kinds[name.split('.').pop()], ...(packed && { 'Content-Encoding': 'gzip' }), ...(name.startsWith('/assets/') && { 'Cache-Control': 'max-age=3600, immutable' }) };
    try {
      const body = readFileSync(`${web}dist${name}${packed ? '.gz' : ''}`);
      response.writeHead(200, headers).end(body);
    } catch {
      response.writeHead(404).end();
    }
  }

  /** changed has the tab read everything again, with other texts. */
  async changed() {
    this.edition.nth++;
    for (const stream of this.streams) stream.end(); // the tab does not know what it missed
    this.streams.clear();
    await new Promise((read) => this.reads.add(read));
    this.reads.clear();
  }
}
const reply = answers(JSON.parse(readFileSync('../../internal/edge/api/openapi.json', 'utf8')));

const wrong = [];
const met = new Set();
const submits = [];

/** Tab is one that goes through screens. */
class Tab {
  constructor(page, panel) {
    Object.assign(this, { page, panel });
    page.removeAllListeners('dialog');
    page.on('dialog', (d) => { // an editor asks before its text is left: the person decides
      if (d.type() !== 'beforeunload') bad.push(`a dialog: ${d.message()}`);
      void d.accept();
    });
  }

  get top() { return this.page.locator('[role=dialog], main').last(); }
  get forms() { return this.top.locator('form[novalidate]'); }
  get buttons() { return this.page.locator('main button:not([type=submit]):not([aria-disabled=true])'); }
  get title() { return this.top.locator('h1, h2').first().innerText(); }

  async settled() {
    await this.page.locator('h1, h2').first().waitFor();
    await this.page.waitForFunction(() => !document.querySelector('[aria-label=Loading]'));
    return true;
  }
  async open(address) {
    await this.page.evaluate(() => sessionStorage.clear()).catch(() => undefined);
    await this.page.goto(this.panel.url + address);
    return this.settled();
  }

  /** items is how many a menu has. */
  async items(button) {
    await button.click();
    await this.page.getByRole('menuitem').first().waitFor();
    return this.page.getByRole('menuitem').count();
  }

  /** screen meets the forms of a screen, and those that its buttons and menus open. */
  async screen(address) {
    try {
      await this.open(address);
    } catch {
      wrong.push(`${address} is not shown`);
      return;
    }
    await this.meet(address, () => true);
    const tried = new Set();
    for (let i = 0; i < await this.buttons.count(); i++) {
      const name = await this.buttons.nth(i).evaluate((b) => b.getAttribute('aria-label') ?? b.innerText);
      if (!name || tried.has(name)) continue;
      tried.add(name);
      if (/^(More actions|For a terminal)/.test(name)) continue; // plans and copies of what the button beside them does
      const button = this.buttons.nth(i);
      const menu = await button.getAttribute('aria-haspopup') === 'menu';
      const press = async (item) => {
        await button.click({ timeout: 5_000 }).catch(() => undefined); // what another button opened may be over it
        if (menu) await this.page.getByRole('menuitem').nth(item).click({ timeout: 5_000 }).catch(() => undefined); // some can't be chosen
        return this.settled();
      };
      const items = menu ? await this.items(button) : 1;
      for (let item = 0; item < items; item++) {
        await this.open(address);
        await press(item);
        await this.meet(address, () => press(item));
      }
      await this.open(address);
    }
  }

  /** meet puts each form that is open through everything; again opens them once more. */
  async meet(address, again) {
    for (let nth = 0; nth < await this.forms.count(); nth++) {
      const was = await read(this.forms.nth(nth));
      const submit = (await this.forms.nth(nth).locator('button[type=submit]').first().innerText()).trim();
      const key = [submit, ...was.map((f) => f.field).sort()].join();
      if (met.has(key)) continue;
      met.add(key);
      submits.push(submit);
      const name = `${address}, ${await this.title}, ${submit}`;
      try {
        step(`${name}: ${await this.survives(name, nth, was, again)}`);
      } catch (error) {
        wrong.push(`${name}: ${error.message.split('\n')[0]}`);
        this.panel.mode = 'ok';
      }
      this.panel.edition.nth = 0;
      const onward = async () => {
        await this.open(address);
        await again();
        await type(this.forms.nth(nth));
        await this.forms.nth(nth).locator('button[type=submit]').first().click();
        return this.settled();
      };
      await onward().catch(() => undefined); // one that can't be sent leads nowhere
      const next = await this.forms.nth(nth).locator('button[type=submit]').first().innerText({ timeout: 1_000 }).catch(() => submit);
      if (this.page.url() === this.panel.url + address && next.trim() !== submit) await this.meet(address, onward);
      await this.open(address);
      await again();
    }
  }

  /** isOpen reports whether a form is there without opening it. */
  async isOpen(nth, title, submit) {
    return await this.forms.count() > nth && await this.title === title && await this.forms.nth(nth).locator('button[type=submit]').first().innerText() === submit;
  }

  /** survives is what happened to a form, in words. */
  async survives(name, nth, was, again) {
    const { page, panel } = this;
    const form = this.forms.nth(nth);
    const title = await this.title;
    await type(form);
    await form.evaluate(() => document.activeElement.blur()); // a text that becomes a tag does so now
    const had = await read(form);
    const losses = async (when, of) => {
      const lost = differing(of, await read(form));
      if (lost.length) wrong.push(`${name}: ${when} loses ${lost.join(', ')}`);
    };
    const submit = form.locator('button[type=submit]').first();
    const text = await submit.innerText();
    /** sent reports whether the form sent something: one that lacks something sends nothing. */
    const sent = async (mode) => {
      const before = panel.wrote;
      panel.mode = mode;
      await submit.click();
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      return panel.wrote > before;
    };
    const sends = await sent('down');
    if (!sends && await submit.innerText({ timeout: 1_000 }).catch(() => '') !== text) {
      panel.mode = 'ok';
      return 'led on, with nothing sent';
    }
    if (sends) {
      await form.getByRole('alert').first().waitFor();
      await losses('a panel that stopped', had);
      await sent('gone');
      await form.getByText('Not found.').first().waitFor();
      await losses('a subject that is gone', had);
      await sent('out');
      const ended = page.getByRole('dialog', { name: 'Sign in again' });
      await ended.waitFor();
      await page.keyboard.press('Escape');
      await ended.waitFor({ state: 'detached' });
      await losses('a session that ended', had);
    }
    panel.mode = 'ok';
    await panel.changed();
    await this.settled();
    const now = await read(form); // labels and choices are named after what may have changed
    const lost = had.filter((f) => f.text && !now.some((g) => g.name === f.name && g.value === f.value));
    if (lost.length) wrong.push(`${name}: a change in another tab loses ${lost.map((f) => f.field).join(', ')}`);
    panel.edition.nth = 0;
    const stored = await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]));
    if (stored.includes(secret)) wrong.push(`${name}: a secret is stored`);
    const typed = had.filter((f) => !f.secret && differing([f], was).length > 0);
    const said = sends ? 'stayed' : 'stayed, sent nothing';
    if (typed.length === 0) return said;
    const leaves = {
      'going away and back': async () => {
        await page.goto(panel.url + '/orgs/main/recipes');
        await this.settled();
        await page.goBack();
      },
      'a reload': () => page.reload(),
    };
    for (const [when, leave] of Object.entries(leaves)) {
      await leave();
      await this.settled();
      if (!(await this.isOpen(nth, title, text))) await again();
      await page.getByText('What you typed here before is back.').first().waitFor();
      await losses(when, typed);
    }
    await page.getByRole('button', { name: 'Discard it' }).first().click();
    await form.getByText('What you typed here before is back.').waitFor({ state: 'detached' });
    const left = differing(typed.flatMap(({ field }) => was.filter((f) => f.field === field)), await read(form));
    if (left.length) wrong.push(`${name}: to discard it leaves ${left.join(', ')}`);
    return said + ', and came back';
  }
}

/** read is what the fields of a form say. */
const read = (form) => form.evaluate((f) => [...f.elements].filter((e) => e.matches('input, textarea, select') && !e.readOnly && !/^(file|hidden)$/.test(e.type)).map((e) => {
  const label = e.labels?.[0]?.textContent ?? e.getAttribute('aria-label') ?? '';
  const checked = /^(checkbox|radio)$/.test(e.type);
  return {
    name: e.name, field: `${e.name}|${label}|${e.type === 'radio' ? e.value : ''}`, value: checked ? String(e.checked) : e.value, text: !checked && e.type !== 'select-one',
    secret: e.type === 'password' || /password|secret|token|key|certificate|^(confirm|code|content|environment)$/.test(e.name),
  };
}));
const differing = (had, has) => had.filter((f) => !has.some((g) => g.field === f.field && g.value === f.value)).map((f) => f.field);

/** type types into each field that takes text. A filter chooses what is shown, and is not sent. */
async function type(form) {
  const fields = form.locator('input:not([data-filter]):not([type=file]):not([type=checkbox]):not([type=radio]):not([type=hidden]), textarea');
  for (let i = 0; i < await fields.count(); i++) {
    const field = fields.nth(i);
    if (!(await field.isVisible()) || !(await field.isEditable())) continue;
    const [kind, name, label] = await field.evaluate((e) => [e.type, e.name, e.labels?.[0]?.textContent ?? '']);
    const confirmed = name === 'confirm' && /^Type (.*) to confirm$/.exec(label)?.[1];
    await field.fill(confirmed || (values[kind] ?? 'typed.example.com'));
  }
}

await main(async (browser) => {
  const all = addresses();
  const rest = [...all.map((address) => ({ address, rare: false })), ...all.filter((a) => elsewhere.test(a)).map((address) => ({ address, rare: true }))];
  await Promise.all(Array.from({ length: atOnce }, async () => {
    const panel = await new Panel().open();
    const c = await context(browser);
    c.setDefaultTimeout(60_000); // a busy machine is slow, and right all the same
    const tab = new Tab(await c.newPage(), panel);
    for (let next; (next = rest.shift()) !== undefined;) {
      panel.edition.rare = next.rare;
      await tab.screen(next.address);
    }
    await c.close();
    panel.server.closeAllConnections();
    panel.server.close();
  }));
  const places = forms();
  const missed = only ? [] : places.filter((f) => !f.texts.some((t) => submits.some((s) => t.test(s)))).map((f) => `no screen shows the form of ${f.at}`);
  step(`${met.size} forms, of ${places.length} places in the sources`);
  want(wrong.length + missed.length === 0, [...wrong, ...missed].join('\n'));
});
