// Text is text: what people can name and say comes back on every screen as they wrote it, and runs nowhere.
import { api, ask, bad, context, main, owner, signIn, stage, step, want } from './lib.mjs';

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
  const put = async (path, body) => {
    const a = await api(page, 'PUT', path, body);
    if (a.status < 300) made++;
    want(a.status < 500, `${path} ${JSON.stringify(body)}: ${a.status}`);
  };
  const org = '/orgs/main';
  const site = `${org}/servers/2/sites/${stage.site}`;
  await put(site + '/healthcheck', { healthcheck_endpoint: null }); // of a run before this one
  // the output of a deployment and a command, and a commit message, are untrusted text as well
  await put(site + '/deployments/script', { content: `cat <<'X'\n${corpus.map((t) => t.replaceAll('\u0000', '')).join('\n')}\n\u001b]8;;javascript:fired(11)\u0007link\u001b]8;;\u0007 \u001b[31mred\nX\n` });
  await put(site + '/environment', { environment: corpus.map((t, i) => `NAME_${i}=${t.replaceAll('\u0000', '')}`).join('\n') });
  await ask('exec', { host: stage.git.host, argv: ['sh', '-c', `cd /root/app && git -c user.name='<img src=x onerror=fired(12)>' commit -q --allow-empty -m '<svg onload=fired(13)> {{fired(14)}}' && git push -q origin HEAD:main && chown -R git:git /home/git/app.git`] });
  const printed = (await api(page, 'POST', site + '/deployments')).body.data.id;
  await api(page, 'POST', site + '/commands', { command: "printf '<img src=x onerror=fired(15)>\\n'" });
  for (let i = 0; (await api(page, 'GET', site + '/deployments/' + printed)).body.data.attributes.status !== 'finished'; i++) {
    want(i < 300, 'the deployment that prints the corpus does not end');
    await page.waitForTimeout(200);
  }
  // visitors' requests and a program's output in logs
  for (const text of corpus) await ask('exec', { host: 2, argv: ['curl', '-sS', '-o', '/dev/null', '-A', text.replaceAll('\u0000', ''), '-H', 'Host: app.example.com', 'http://127.0.0.1/' + encodeURIComponent(text)] });
  await post(org + '/servers/2/background-processes', { name: 'prints', command: `while :; do printf '%s\\n' '<img src=x onerror=fired(16)>' '<svg onload=fired(17)>'; sleep 2; done`, user: 'forge', processes: 1, site_id: Number(stage.site) });
  for (const text of corpus) {
    await post(org + '/servers', { name: text.slice(0, 30), provider: 'custom', type: 'web', tags: [text.slice(0, 20)], custom: { ip_address: '203.0.113.9' } });
    await post(org + '/servers/2/firewall-rules', { name: text, type: 'allow', port: '9000', ip_address: '203.0.113.8' });
    await post(org + '/teams', { name: text });
    await post(org + '/roles', { name: text, permissions: ['server:view', 'organization:view', 'user:view'] });
    await post(org + '/oauth-clients', { name: text, redirect_uris: ['https://example.com/' + encodeURIComponent(text)], scopes: ['server:view'] });
    await post(org + '/oauth-clients', { name: 'redirect', redirect_uris: [text], scopes: ['server:view'] });
    await post('/user/tokens', { name: text, scopes: ['server:view'], password: owner.password });
    await post(org + '/invites', { email: `"${text.replaceAll(/[^\x20-\x7e]|["\\]/g, '')}"@example.com`, role_id: 5 });
    await post(org + '/servers/2/sites', { type: 'php', name: text, web_directory: text });
    await post(site + '/commands', { command: text });
    await post(site + '/redirect-rules', { from: '^/' + text.replaceAll(/[\s{}\u0000-\u001f\u202e;"'<>]/g, '.'), to: '/' + encodeURIComponent(text), type: 'redirect' });
    await post(site + '/redirect-rules', { from: text, to: text, type: 'redirect' });
    await post(site + '/security-rules', { name: text, path: `/of-${made}`, credentials: [{ username: 'ada', password: 'a secret of ada' }] });
    await post(site + '/security-rules', { name: text, path: '/' + encodeURIComponent(text), credentials: [{ username: 'ada', password: 'a secret of ada' }] });
    await post(site + '/domains', { name: text, www_redirect_type: 'none', allow_wildcard_subdomains: false });
    await post(org + '/servers/3/database/schemas', { name: text });
    await post(org + '/servers/3/database/users', { name: text, password: '' });
    await post(org + '/storage-providers', { name: text, provider: 'custom', endpoint: stage.s3.endpoint, bucket: stage.s3.bucket, directory: text, access_key: stage.s3.access, secret_key: stage.s3.secret });
    await post(org + '/servers/3/database/backups', { name: text, storage_provider_id: 1, frequency: 'daily', time: '03:00', database_ids: [1], retention: 1, directory: text, notification_email: `"${text.replaceAll(/[^\x20-\x7e]|["\\]/g, '')}"@example.com` });
    await post(org + '/servers/3/database/backups', { name: text, storage_provider_id: 1, frequency: 'daily', time: '03:00', database_ids: [1], retention: 1, directory: 'texts' });
    await post(site + '/deployments/deploy-hook', {});
    await post(org + '/recipes', { name: text, user: 'root', script: text });
    await post(site + '/heartbeats', { name: text, frequency: 1440, grace_period: 5 });
    await post(org + '/servers/2/background-processes', { name: text, command: 'sleep 1000 # ' + text.replaceAll('\u0000', ''), user: 'forge', processes: 1, site_id: Number(stage.site) });
    await post(site + '/scheduled-jobs', { name: text, command: 'true # ' + text.replaceAll('\u0000', ''), user: 'forge', frequency: 'monthly' });
    await post(site + '/composer/credentials', { repository: `of-${made}.example.com`, username: text.replaceAll(':', ''), password: text });
    await post(site + '/npm/credentials', { registry: text, scopes: [text], token: text });
    await post(site + '/webhooks', { url: stage.stage + '/hook?' + encodeURIComponent(text) });
    await post(org + '/notification-channels', { name: text, type: 'webhook', url: stage.stage + '/hook?' + encodeURIComponent(text), events: ['deployment.failed'] });
    await post(org + '/notification-channels', { name: text, type: 'ntfy', topic: text, url: stage.stage, events: ['deployment.failed'] });
    await post(org + '/dns-providers', { name: text, provider: 'rfc2136', nameserver: '127.0.0.1:1', key: 'hostler', secret: 'c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0' });
    await post(org + '/source-control-providers', { name: text, provider: 'gitlab-custom', url: stage.stage, token: text });
    await put(site + '/deployments/script', { content: text });
    await put(site + '/healthcheck', { healthcheck_endpoint: 'http://app.example.com/' + text });
  }
  step(`${made} things are called like that`);
  want(made >= 20, `only ${made} things could be made`);
  const screens = ['', '/activity', '/servers', '/servers/2', '/servers/2/firewall', '/servers/2/events', '/servers/2/settings', '/servers/3', '/servers/3/settings', '/servers/4/events', '/sites', '/sites/new', '/team', '/team/teams', '/team/teams/1', '/team/roles', '/team/ssh-access', '/settings/programs', '/settings/audit', '/settings/storage', '/servers/3/databases', '/servers/3/backups', '/servers/3/backups/1', '/servers/3/backups/2', '/servers/3/backups/2/change', '/servers/3/backups/new', '/servers/3/backups/1/1/restore', '/recipes', '/recipes/new', '/recipes/2', '/settings/git', '/settings/dns', '/settings/notifications', '/settings/notifications/2', '/servers/2/logs',
    ...['', '/deployments', '/deployments/' + printed, '/deployments/script', '/deployments/source', '/environment', '/domains', `/domains/${stage.domain}`, '/redirects', '/security', '/commands', '/commands/2', '/commands/3', '/nginx', '/logs', '/logs/error', '/logs/application', '/processes', '/processes/1', '/processes/2', '/processes/jobs', '/processes/heartbeats', '/processes/integrations', '/deployments/packages', '/deployments/webhooks', '/deployments/webhooks/1', '/settings'].map((s) => `/sites/${stage.site}${s}`)].map((s) => org + s);
  for (const path of [...screens, '/account/tokens', '/account/log', `/sign-in?next=${encodeURIComponent('javascript:fired(8)')}`, `${org}/servers/%3Cimg%20src=x%20onerror=fired(9)%3E`, `/invitation#<img src=x onerror=fired(10)>`]) {
    await page.goto(stage.url + path);
    await page.waitForFunction(() => document.querySelector('h1, [role=alert], main [role=status]') && !document.querySelector('[aria-label=Loading]'));
    for (const b of await page.getByRole('button', { name: /^Details of/ }).all().then((l) => l.slice(0, 2))) {
      await b.click();
      await page.keyboard.press('Escape');
    }
    for (const name of ['Show and edit', 'Import', 'Changes', 'Show deploy hook and webhook']) {
      const b = page.getByRole('button', { name });
      if (!(await b.count())) continue;
      await b.first().click();
      await page.keyboard.press('Escape');
    }
  }
  await page.goto(`${stage.url}${org}/sites/${stage.site}/deployments/${printed}`);
  await page.getByRole('log').getByText(corpus[0]).first().waitFor();
  await page.goto(stage.url + org + '/recipes');
  await page.getByText(corpus[0], { exact: true }).first().waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('<img src=x onerror=fired(20)>');
  await page.getByText('No results').waitFor();
  want(bad.length === 0, bad.join('\n'));
  step('and nothing of it ran');
});
