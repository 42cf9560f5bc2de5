// Text is text: what people can name and say comes back on every screen as they wrote it, and runs nowhere.
import { bad, context, main, signIn, stage, step, want } from './lib.mjs';

const corpus = [
  '<img src=x onerror=fired(1)>',
  '"><svg onload=fired(2)>',
  "'-fired(3)-'",
  '{{fired(4)}}${fired(5)}',
  '</title><b onclick=fired(6)>b',
  'javascript:fired(7)',
  '\u202Etxt.exe \u0000fired',
];

await main(async (browser) => {
  const c = await context(browser);
  const page = await c.newPage();
  await signIn(page);
  let made = 0;
  const post = async (path, body) => {
    const status = await page.evaluate(async ([path, body]) => {
      const r = await fetch('/api' + path, { method: 'POST', headers: { 'Content-Type': 'application/json', 'X-Hostler-Csrf': '1' }, body: JSON.stringify(body) });
      return r.status;
    }, [path, body]);
    if (status < 300) made++;
    want(status < 500, `${path} ${JSON.stringify(body)}: ${status}`);
  };
  const org = '/orgs/main';
  for (const text of corpus) {
    await post(org + '/servers', { name: text.slice(0, 30), provider: 'custom', type: 'web', tags: [text.slice(0, 20)], custom: { ip_address: '203.0.113.9' } });
    await post(org + '/servers/2/firewall-rules', { name: text, type: 'allow', port: '9000', ip_address: '203.0.113.8' });
    await post(org + '/teams', { name: text });
    await post(org + '/roles', { name: text, permissions: ['server:view', 'organization:view', 'user:view'] });
    await post(org + '/oauth-clients', { name: text, redirect_uris: ['https://example.com/' + encodeURIComponent(text)], scopes: ['server:view'] });
    await post(org + '/oauth-clients', { name: 'redirect', redirect_uris: [text], scopes: ['server:view'] });
    await post('/user/tokens', { name: text, scopes: ['server:view'] });
    await post(org + '/invites', { email: `"${text.replaceAll(/[^\x20-\x7e]|["\\]/g, '')}"@example.com`, role_id: 5 });
    await post(org + '/servers/2/sites', { type: 'php', name: text, web_directory: text });
  }
  step(`${made} things are called like that`);
  want(made >= 20, `only ${made} things could be made`);
  const screens = ['', '/activity', '/servers', '/servers/2', '/servers/2/firewall', '/servers/2/events', '/servers/2/settings', '/servers/3', '/servers/3/settings', '/servers/4/events', '/sites', '/sites/new', '/team', '/team/teams', '/team/teams/1', '/team/roles', '/settings/programs', '/settings/audit'].map((s) => org + s);
  for (const path of [...screens, '/account/tokens', '/account/log', `/sign-in?next=${encodeURIComponent('javascript:fired(8)')}`, `${org}/servers/%3Cimg%20src=x%20onerror=fired(9)%3E`, `/invitation#<img src=x onerror=fired(10)>`]) {
    await page.goto(stage.url + path);
    await page.waitForFunction(() => document.querySelector('h1') && !document.querySelector('[aria-label=Loading]'));
    for (const b of await page.getByRole('button', { name: /^Details of/ }).all().then((l) => l.slice(0, 2))) {
      await b.click();
      await page.keyboard.press('Escape');
    }
  }
  await page.goto(stage.url + org + '/servers');
  await page.getByText(corpus[0].slice(0, 30)).first().waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('<img');
  await page.getByRole('option', { name: /<img/ }).first().waitFor();
  want(bad.length === 0, bad.join('\n'));
  step('and nothing of it ran');
});
