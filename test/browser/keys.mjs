// Without a mouse: a server's firewall rule is added and removed by keys alone, everything on a screen is reached by Tab, and the focus is never lost.
import { context, main, signIn, stage, step, want } from './lib.mjs';

const org = '/orgs/main';

/** focused describes what has the focus; it must be something, and inside a dialog where one is open. */
const focused = (page) => page.evaluate(() => {
  const e = document.activeElement;
  if (!e || e === document.body || e === document.documentElement) return null;
  const dialog = [...document.querySelectorAll('[role=dialog]')].pop();
  if (dialog && !dialog.contains(e)) return 'outside the dialog: ' + e.outerHTML.slice(0, 120);
  return (e.getAttribute('aria-label') || e.innerText || e.getAttribute('name') || e.tagName).trim().slice(0, 60) || e.tagName;
});
async function kept(page, when) {
  await page.waitForFunction(() => document.activeElement && document.activeElement !== document.body, undefined, { timeout: 5_000 }).catch(() => undefined);
  const f = await focused(page);
  want(f !== null && !/^outside/.test(f), `${when}: the focus is ${f ?? 'lost'}`);
  return f;
}

/** tabTo presses Tab until what is looked for has the focus. */
async function tabTo(page, name, most = 150) {
  for (let i = 0; i < most; i++) {
    await page.keyboard.press('Tab');
    const f = await page.evaluate(() => {
      const e = document.activeElement;
      const label = e?.id ? document.querySelector(`label[for="${CSS.escape(e.id)}"]`)?.textContent : '';
      return (e?.getAttribute('aria-label') || label || e?.innerText || e?.closest('label')?.innerText || '').trim();
    });
    if (typeof name === 'string' ? f === name : name.test(f)) return;
  }
  throw new Error(`Tab does not reach ${name} at ${page.url()}`);
}

/** unreachable are the controls of a screen that Tab does not come to. */
async function unreachable(page) {
  const all = await page.evaluate(() => {
    const shown = (e) => e.checkVisibility({ checkVisibilityCSS: true, checkOpacity: true }) && e.getClientRects().length > 0;
    const out = [];
    const groups = new Set();
    document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]').forEach((e) => {
      if (!shown(e) || e.disabled || e.tabIndex < 0 || e.closest('[inert]')) return;
      if (e.type === 'radio') { // a group is one stop
        if (groups.has(e.name)) return;
        groups.add(e.name);
        e = document.querySelector(`input[type=radio][name="${CSS.escape(e.name)}"]:checked`) ?? e;
      }
      e.dataset.stop = String(out.length);
      out.push((e.getAttribute('aria-label') || e.innerText || e.name || e.tagName).trim().slice(0, 50));
    });
    window.scrollTo(0, 0);
    document.activeElement?.blur();
    return out;
  });
  const met = new Set();
  for (let i = 0; i < all.length * 2 + 20 && met.size < all.length; i++) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => document.activeElement?.dataset?.stop ?? null);
    if (at !== null) met.add(Number(at));
  }
  // the rows of a long list are in the page only while they are near what is in sight
  const there = await page.evaluate(() => [...document.querySelectorAll('[data-stop]')].map((e) => Number(e.dataset.stop)));
  return all.filter((_, i) => there.includes(i) && !met.has(i));
}

await main(async (browser) => {
  const c = await context(browser);
  const page = await c.newPage();
  await signIn(page);
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor(); // before, nothing listens to keys
  await page.keyboard.press('g');
  await page.keyboard.press('s');
  await page.waitForURL('**/servers');
  await page.getByRole('heading', { level: 1, name: 'Servers' }).waitFor(); // before, rows that name the server are of the first screen
  await page.getByRole('row', { name: /web-1/ }).waitFor();
  await tabTo(page, 'web-1');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'web-1' }).waitFor();
  await kept(page, 'after a link was followed');
  await tabTo(page, 'Access');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Add rule' }).first().waitFor();
  await tabTo(page, 'Add rule');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await kept(page, 'in a dialog that opened');
  await tabTo(page, 'Name');
  await page.keyboard.type('By keys');
  await tabTo(page, 'Port');
  await page.keyboard.type('9200');
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: /By keys.*Installed/ }).waitFor();
  await kept(page, 'after a dialog was done');
  await tabTo(page, 'Delete By keys');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await tabTo(page, /^Type By keys/);
  await page.keyboard.type('By keys');
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: /By keys/ }).waitFor({ state: 'detached' });
  await kept(page, 'after what was removed is gone');
  step('a rule was added and removed by keys alone');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('combobox').waitFor({ state: 'detached' });
  await kept(page, 'after the palette was closed');
  for (const name of ['Switch organization', 'Your account']) {
    const button = page.getByRole('button', { name });
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menu').waitFor();
    await kept(page, `in the menu ${name}`);
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    want(await page.evaluate((n) => document.activeElement?.textContent.toLowerCase().includes(n), name.toLowerCase()), `the focus does not go back to ${name}: ${await focused(page)}`);
  }
  step('menus and the palette give the focus back');
  const site = stage.site;
  const wrong = [];
  const paths = ['', '/servers', '/servers/new', '/servers/2', '/servers/2/firewall', '/servers/2/events', '/servers/2/settings', '/sites', '/sites/new', `/sites/${site}`, `/sites/${site}/deployments`, `/sites/${site}/deployments/script`,
    `/sites/${site}/deployments/source`, `/sites/${site}/environment`, `/sites/${site}/domains`, `/sites/${site}/redirects`, `/sites/${site}/security`, `/sites/${site}/commands`, `/sites/${site}/nginx`, `/sites/${site}/deployments/webhooks/1`, `/sites/${site}/processes`, `/sites/${site}/processes/1`, `/sites/${site}/processes/jobs`, `/sites/${site}/processes/heartbeats`,
    `/sites/${site}/processes/integrations`, `/sites/${site}/logs`, '/servers/2/logs', '/recipes', '/recipes/new', '/recipes/1', '/recipes/1/runs/1', '/servers/2/templates', '/servers/2/templates/1', '/settings/accounts', '/settings/git', '/settings/dns', '/settings/notifications', `/settings/notifications/1`, `/sites/${site}/settings`,
    '/servers/3/databases', '/servers/3/backups', '/servers/3/backups/1', '/servers/3/backups/new', '/team', '/settings', '/settings/storage', '/settings/audit'];
  for (const path of paths) {
    await page.goto(stage.url + org + path);
    await page.locator('h1').waitFor();
    await page.waitForFunction(() => !document.querySelector('[aria-label=Loading]'));
    const left = await unreachable(page);
    if (left.length) wrong.push(`${path || '/'}: ${left.join(' | ')}`);
  }
  want(wrong.length === 0, 'Tab does not reach:\n' + wrong.join('\n'));
  step(`everything on ${paths.length} screens is reached by Tab`);
});
