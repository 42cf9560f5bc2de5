// What is changed later, and its notifications: a full disk, a missing call, an environment that is rolled back, sites of other
// kinds, releases that are switched off and on under a visitor, a recipe whose output is mailed, and a server that is temporarily
// one team's.
import { api, ask, context, mailed, main, owner, signIn, stage, step, want } from './lib.mjs';

const web = 2;
const org = '/orgs/main';
const at = (where) => stage.url + org + where;
const on = (...argv) => ask('exec', { host: web, argv });
const visit = (name) => on('curl', '-sS', '-H', 'Host: ' + name, 'http://127.0.0.1/');
const barbara = { name: 'Barbara', email: 'barbara@example.com', password: 'a password of barbara herself' };

/** visitor asks for a site again and again; leave ends that, and is how often there was an answer. It fails for the first one without the text. */
async function visitor(name, text) {
  await on('rm', '-f', '/run/visitor-left');
  const asked = on('sh', '-c', 'n=0; until [ -e /run/visitor-left ]; do curl -fsS -H "Host: $1" http://127.0.0.1/ | grep -qF "$2" || exit 9; n=$((n + 1)); done; echo $n', 'sh', name, text);
  asked.catch(() => undefined); // told when they leave
  return async () => {
    await on('touch', '/run/visitor-left');
    return Number(await asked);
  };
}

await main(async (browser) => {
  const c = await context(browser);
  const page = await c.newPage();
  await signIn(page);
  const dialog = page.getByRole('dialog');
  const one = async (what, name) => (await api(page, 'GET', `${org}/${what}?filter[name]=${name}`)).body.data[0].id;
  const server = await one('servers', 'web-1');
  const site = `/sites/${await one('sites', 'app.example.com')}`;
  const told = (text) => page.getByRole('listitem').filter({ hasText: text });
  const told120 = { timeout: 120_000 }; // a server is looked at each minute, silence is looked for each half minute

  // the server has a separate disk, and space is used on it without a block being written
  const room = (what) => on('sh', '-c', `df --output=${what} -B1 / | tail -1`).then(Number);
  want(await room('size') < 10e9, 'the server has no disk of its own');
  await on('fallocate', '-l', String(await room('avail') - Math.floor(await room('size') / 20)), '/full');

  await page.goto(at(site + '/processes/heartbeats'));
  await page.getByRole('button', { name: 'New heartbeat', exact: true }).click();
  await dialog.getByLabel('Name', { exact: true }).fill('Nightly copy');
  await dialog.getByLabel('Schedule').selectOption('1');
  await dialog.getByLabel('Grace period').selectOption('1');
  await dialog.getByRole('button', { name: 'Create heartbeat', exact: true }).click();
  const call = (await dialog.getByLabel('Ping command').innerText()).replace(/^&& /, '');
  await dialog.getByRole('button', { name: 'Done', exact: true }).click();
  await page.getByRole('row', { name: /Nightly copy.*Waiting for first ping/ }).waitFor();
  await on('sh', '-c', call);
  await page.getByRole('row', { name: /Nightly copy.*On time/ }).waitFor();
  const silent = told('No ping was received on app.example.com.').filter({ hasText: 'Nightly copy' });
  await page.goto(at(''));
  await page.getByRole('heading', { name: 'Activity' }).waitFor();
  want(await silent.count() === 0, 'a heartbeat is missed that beats');
  await ask('late', { name: 'Nightly copy' });

  await silent.waitFor(told120);
  const full = told(/Only 0\.\d GB of \d\.\d GB disk space is free\./).filter({ hasText: 'web-1' });
  await full.waitFor(told120);
  await page.screenshot({ path: `${stage.shots}/home-full.png` });
  await full.getByRole('link', { name: /^View/ }).click();
  await page.getByRole('heading', { level: 1, name: 'web-1' }).waitFor();
  await on('rm', '/full');
  await page.goBack();
  step('a full disk and a call that did not come stand on the first screen');
  await silent.getByRole('link', { name: /^View/ }).click();
  await page.getByRole('row', { name: /Nightly copy.*Missing/ }).waitFor();
  await on('sh', '-c', call);
  await page.getByRole('row', { name: /Nightly copy.*On time/ }).waitFor();
  await page.goto(at(''));
  await page.getByRole('heading', { name: 'Activity' }).waitFor();
  await silent.waitFor({ state: 'detached' });
  await full.waitFor({ state: 'detached', ...told120 });
  await page.reload();
  await page.getByRole('heading', { name: 'Activity' }).waitFor();
  want(await silent.count() + await full.count() === 0, 'it is told again');
  step('and no more, when the call came and there is room');

  await page.goto(at(site + '/environment'));
  const kept = 'APP_NAME=Shop\nAPP_KEY=the-key-of-the-shop\n';
  const versions = page.getByRole('table', { name: 'Versions' }).getByRole('row').filter({ hasText: 'View changes' });
  const env = () => on('cat', '/home/forge/app.example.com/.env');
  const save = async (content) => {
    const before = (await api(page, 'GET', `${org}/servers/${server}${site}/environment/versions`)).body.data.length;
    await page.getByLabel('.env').fill(content);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await versions.nth(before).waitFor();
    await versions.first().getByText('Applied', { exact: true }).waitFor();
  };
  await page.getByRole('button', { name: 'Show and edit', exact: true }).click();
  await save(kept);
  await save(kept + 'APP_DEBUG=true\n');
  want((await env()) === kept + 'APP_DEBUG=true\n', 'on the server: ' + (await env()));
  await versions.first().getByRole('button', { name: 'View changes', exact: true }).click();
  const changed = await dialog.getByLabel('Difference').innerText();
  want(/^\+APP_DEBUG=true$/m.test(changed) && !/^[+-]APP_(NAME|KEY)/m.test(changed), 'what it changed: ' + changed);
  await page.screenshot({ path: `${stage.shots}/environment-changed.png` });
  await page.keyboard.press('Escape');
  await versions.nth(1).getByRole('button', { name: 'View changes', exact: true }).click();
  await dialog.getByRole('button', { name: 'Open in editor', exact: true }).click();
  await page.getByText('Unsaved changes').waitFor();
  want((await env()).includes('APP_DEBUG'), 'it is on the server before it is saved');
  await save(await page.getByLabel('.env').inputValue());
  want((await env()) === kept, 'not brought back: ' + (await env()));
  step('an environment was changed, and the one before was brought back');

  const create = async (domain, kind, more = async () => {}) => {
    await page.goto(at('/sites/new'));
    await page.getByLabel('Server', { exact: true }).selectOption({ label: 'web-1' });
    await page.getByLabel('Domain', { exact: true }).fill(domain);
    await page.getByRole('radio', { name: kind }).check();
    await more();
    await page.getByRole('button', { name: 'Create site', exact: true }).click();
  };
  const installed = async (domain, word = 'Installed') => {
    await page.getByRole('heading', { level: 1, name: domain }).waitFor();
    await page.getByText(word, { exact: true }).first().waitFor({ timeout: 600_000 }); // the packages of a runtime come over the network
  };
  await create('plain.example.com', /^Static files/);
  await installed('plain.example.com');
  await on('sh', '-c', 'echo "a plain page" > /home/forge/plain.example.com/index.html');
  want((await visit('plain.example.com')).includes('a plain page'), 'the plain page is not served: ' + (await visit('plain.example.com')));
  await create('php.example.com', /^PHP/);
  await installed('php.example.com');
  await on('sh', '-c', `echo '<?php echo "PHP says ", 6 * 7;' > /home/forge/php.example.com/public/index.php`);
  for (let i = 0, text; (text = await visit('php.example.com')) !== 'PHP says 42'; i++) { // OPcache looks at files every other second
    want(i < 50, 'PHP is not run: ' + text);
    await page.waitForTimeout(100);
  }
  await create('next.example.com', /^Next\.js/, async () => {
    await page.getByLabel('Repository', { exact: true }).fill(stage.git.url);
    await page.getByLabel('Rendering', { exact: true }).selectOption({ label: 'Static export' });
  });
  await installed('next.example.com', 'Not deployed yet');
  await page.getByRole('heading', { name: 'From the repository to HTTPS' }).waitFor();
  step('static files and PHP are served as soon as they are there, and Next.js once its code is deployed');

  await page.goto(at(site + '/settings'));
  const releases = page.getByRole('region', { name: 'Releases' });
  const linked = () => on('sh', '-c', 'nginx -T 2>/dev/null | grep -c "root .*/home/forge/app.example.com/current/" || true').then((n) => Number(n) > 0);
  const leave = await visitor('app.example.com', 'page three');
  try {
    for (const [todo, now, is] of [['Stop using releases', 'Visitors may see a partial deployment', false], ['Use releases', 'which is activated atomically', true]]) {
      await releases.getByRole('button', { name: todo, exact: true }).click();
      await dialog.getByRole('button', { name: todo, exact: true }).click();
      await releases.getByText(now).waitFor();
      await page.getByRole('region', { name: 'Operation' }).waitFor({ state: 'detached' });
      want(await linked() === is, `${todo}: nginx serves ${is ? 'the directory' : 'the live release'}`);
    }
  } finally {
    step(`releases were switched off and on, and a visitor got ${await leave()} answers meanwhile`);
  }

  const secret = 'the-token-in-the-script';
  await page.goto(at('/recipes/new'));
  await page.getByLabel('Name', { exact: true }).fill('Look for room');
  await page.getByLabel('Script', { exact: true }).fill(`#!/usr/bin/env bash\ntoken=${secret}\necho "there is room on {{ server_name }}"\n[ "{{ server_name }}" = web-1 ] || exit 7\n`);
  await page.getByRole('button', { name: 'Create recipe', exact: true }).click();
  await page.getByRole('button', { name: 'Run on servers', exact: true }).click();
  await dialog.getByLabel('web-1', { exact: true }).check();
  await dialog.getByLabel('edge', { exact: true }).check();
  await dialog.getByLabel('Email me the output', { exact: true }).check();
  await dialog.getByRole('button', { name: 'Run on 2 servers', exact: true }).click();
  await page.getByRole('row', { name: /web-1.*Succeeded/ }).waitFor();
  await page.getByRole('row', { name: /edge.*Failed/ }).waitFor();
  for (const [name, end] of [['web-1', 'succeeded'], ['edge', 'failed']]) {
    const mail = await mailed(owner.email, `(?s)^Hostler: Look for room .*on ${name}\n.*`);
    want(mail.startsWith(`Hostler: Look for room ${end} on ${name}\n`) && mail.trimEnd().endsWith('Output:\n\nthere is room on ' + name), 'the mail: ' + mail);
    want(!mail.includes(secret) && !mail.includes('the-key-of-the-shop') && !/https?:/.test(mail), 'the mail tells too much: ' + mail);
  }
  step('what a recipe printed was mailed, and nothing else of it');

  await page.goto(at('/team/teams'));
  await page.getByRole('button', { name: 'New team', exact: true }).click();
  await dialog.getByLabel('Name').fill('agency');
  await page.getByRole('button', { name: 'Create team', exact: true }).click();
  await page.getByRole('heading', { name: 'agency', exact: true }).waitFor();
  const shared = page.getByRole('region', { name: 'Shared servers' });
  await shared.getByLabel('Share a server with this team').selectOption({ label: 'web-1' });
  await shared.getByRole('button', { name: 'Share', exact: true }).click();
  await shared.getByRole('row', { name: /web-1/ }).waitFor();
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  await dialog.getByLabel('Email').fill(barbara.email);
  await dialog.getByLabel('Role').selectOption({ label: 'Viewer' });
  await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
  const hers = await context(browser);
  const other = await hers.newPage();
  await other.goto(await mailed(barbara.email, 'http://\\S+/invitation#\\S+'));
  await other.getByLabel('Name').fill(barbara.name);
  await other.getByLabel('Password').fill(barbara.password);
  await other.getByRole('button', { name: 'Create account' }).click();
  await other.waitForURL('**/orgs/main**');
  await other.getByRole('heading', { name: 'Activity' }).waitFor();
  const home = await other.getByRole('main').innerText();
  want(!/db-1|\bedge\b/.test(home), 'she is told of other servers: ' + home);
  await other.getByRole('link', { name: 'Servers', exact: true }).first().click();
  await other.getByRole('link', { name: 'web-1', exact: true }).waitFor();
  const rows = await other.getByRole('row').count();
  want(rows === 2, `she sees ${rows - 1} servers`);
  await other.screenshot({ path: `${stage.shots}/team-servers.png` });
  await other.goto(at('/servers/' + await one('servers', 'edge')));
  await other.getByText('Not found, or you don\'t have access. An organization administrator can grant it.').waitFor();
  await other.goto(at(`/servers/${server}/firewall`));
  const rule = other.getByRole('button', { name: 'Add rule', exact: true }).first();
  await rule.waitFor();
  want((await rule.getAttribute('aria-disabled')) === 'true' && /server:manage-network/.test(await rule.getAttribute('title')), 'a viewer may add rules');
  step('a member of a team sees its server and no other, and may look only');
  await shared.getByRole('button', { name: 'Stop sharing web-1', exact: true }).click();
  await shared.getByRole('row', { name: /web-1/ }).waitFor({ state: 'detached' });
  await other.reload();
  await other.getByText('Not found, or you don\'t have access. An organization administrator can grant it.').waitFor();
  await other.goto(at('/servers'));
  await other.getByText('No servers yet').waitFor();
  step('and not any more, when it is not shared');
});
