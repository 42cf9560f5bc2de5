// Who can log in to a server, and its PHP: keys that are let in and a private one that never leaves the browser; versions, limits and configurations of
// PHP, each seen on the host. And a viewer, who reads every page and is refused by none.
import { api, ask, context, mailed, main, signIn, stage, step, want } from './lib.mjs';

const web = 2;
const on = (...argv) => ask('exec', { host: web, argv });
const at = (where) => stage.url + '/orgs/main' + where;

await main(async (browser) => {
  const c = await context(browser);
  const page = await c.newPage();
  const sent = [];
  page.on('request', (r) => sent.push(r.postData() ?? ''));
  await signIn(page);
  const dialog = page.getByRole('dialog');
  const tabs = page.getByRole('navigation', { name: 'Server' });

  await on('sh', '-ec', "rm -f /root/ada /root/ada.pub; ssh-keygen -q -t ed25519 -N '' -C ada@laptop -f /root/ada");
  const secret = await on('cat', '/root/ada');
  const open = (await on('cat', '/root/ada.pub')).trim();
  const line = open.split(' ')[1];
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search or run a command' }).fill('web-1 ssh');
  await page.getByRole('option', { name: 'web-1: SSH keys', exact: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Add key' }).first().click();
  const field = dialog.getByLabel('Public key', { exact: true });
  await field.fill(secret);
  await field.and(page.locator('[aria-invalid=true]')).waitFor();
  await dialog.getByText('It was not sent').first().waitFor();
  want((await field.inputValue()) === '', 'the private key stays in the field');
  await dialog.getByRole('button', { name: 'Add key' }).click();
  await dialog.getByRole('button', { name: 'Show plan' }).click();
  await dialog.getByText('It was not sent').first().waitFor();
  const body = secret.split('\n')[1];
  want(!sent.some((s) => s.includes('PRIVATE KEY') || s.includes(body)), 'a private key was sent');
  step('a private key is refused, and was not sent');
  await field.fill(open);
  const options = dialog.getByLabel('Options', { exact: true });
  await options.fill('command="reboot"');
  await dialog.getByRole('button', { name: 'Show plan' }).click();
  await dialog.getByText('The option "command" can\'t be used.').first().waitFor();
  await options.and(page.locator('[aria-invalid=true]')).waitFor();
  await options.fill('restrict,from="192.0.2.0/24"');
  await dialog.getByRole('button', { name: 'Show plan' }).click();
  await dialog.getByLabel('Plan').getByText('edit lines of /home/forge/.ssh/authorized_keys').waitFor();
  want(!(await on('cat', '/home/forge/.ssh/authorized_keys')).includes(line), 'a plan changed the host');
  await dialog.getByRole('button', { name: 'Add key' }).click();
  await page.getByRole('row', { name: /ada@laptop.*forge.*All non-isolated sites.*Ada.*Installed/ }).waitFor();
  await page.getByRole('row', { name: /ada@laptop.*restrict/ }).waitFor();
  const held = (await on('cat', '/home/forge/.ssh/authorized_keys')).split('\n').find((l) => l.includes(line));
  want(/^(?=.*restrict)(?=.*from="192\.0\.2\.0\/24").* ssh-ed25519 /.test(held ?? ''), `the host has ${held}`);
  await page.reload();
  await page.getByRole('button', { name: 'Add key' }).click();
  await field.fill(open);
  await dialog.getByRole('button', { name: 'Add key' }).click();
  await dialog.getByText('The account forge already has this key.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Remove ada@laptop' }).click();
  await dialog.getByLabel('Type ada@laptop to confirm').fill('ada@laptop');
  await dialog.getByRole('button', { name: 'Remove key' }).click();
  await page.getByRole('row', { name: /ada@laptop/ }).waitFor({ state: 'detached' });
  want(!(await on('cat', '/home/forge/.ssh/authorized_keys')).includes(line), 'the key is still on the host');
  step('a public one lets in, and no longer');

  await tabs.getByRole('link', { name: 'Sites', exact: true }).click();
  await tabs.getByRole('link', { name: 'PHP', exact: true }).click();
  const row = page.getByRole('row', { name: /^PHP \d\.\d.*New sites.*Command line.*Installed/ });
  const version = /\d\.\d/.exec(await row.getByRole('link').innerText())[0];
  await page.getByLabel('Maximum upload size (MB)').fill('20000');
  const upload = page.locator('form', { has: page.getByLabel('Maximum upload size (MB)') });
  await upload.getByRole('button', { name: 'Save' }).click();
  await upload.getByText('must not be greater than 10000').waitFor();
  await page.getByLabel('Maximum upload size (MB)').fill('64');
  await upload.getByRole('button', { name: 'Show plan' }).click();
  await upload.getByLabel('Plan').getByText(/64M/).first().waitFor();
  await upload.getByRole('button', { name: 'Save' }).click();
  await page.getByText('PHP updated.').waitFor();
  const own = `/etc/php/${version}/fpm/conf.d/`;
  const has = async (text) => (await on('sh', '-c', `cat ${own}*hostler*.ini 2>/dev/null; true`)).includes(text);
  want(await has('upload_max_filesize = 64M'), 'the limit is not on the host');
  await page.reload();
  want((await page.getByLabel('Maximum upload size (MB)').inputValue()) === '64', 'the limit is not shown');
  await page.getByText('OPcache is on').waitFor();
  await page.getByRole('button', { name: 'Turn off OPcache', exact: true }).click();
  await page.getByText('OPcache is off').waitFor();
  await page.getByText('PHP updated.').waitFor();
  want(await has('opcache.enable = 0') || await has('opcache.enable=0') || await has('opcache.enable = Off'), 'OPcache is still on: ' + (await on('sh', '-c', `cat ${own}*hostler*.ini`)));
  await page.getByRole('button', { name: 'Turn on OPcache', exact: true }).click();
  await page.getByText('OPcache is on').waitFor();
  step('a limit and OPcache are those of the host');

  await page.getByRole('button', { name: `Actions for PHP ${version}` }).click();
  await page.getByRole('menuitem', { name: /^Use for new sites.*Already the default/ }).waitFor();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await dialog.getByLabel(`Type PHP ${version} to confirm`).fill(`PHP ${version}`);
  await dialog.getByRole('button', { name: 'Remove version' }).click();
  await dialog.getByText(/is the only version on the server|is used by/).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Install version' }).click();
  want((await dialog.getByLabel('Version', { exact: true }).innerText()).includes('PHP 5.6'), 'versions are missing');
  want(!(await dialog.getByLabel('Version', { exact: true }).innerText()).includes(`PHP ${version}`), 'the version that the server has can be installed');
  await page.keyboard.press('Escape');
  step('the only version stays, and says why');

  await row.getByRole('link').click();
  const editor = page.getByLabel('Settings', { exact: true });
  await editor.fill('; ours\nmemory_limit = 333M\nextension = evil.so\n');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText("line 3: extension can't be set").waitFor();
  want((await page.locator('pre span.text-danger').innerText()) === '3', 'the wrong line is not marked');
  await editor.fill('; ours\nmemory_limit = 333M\n');
  await page.getByRole('button', { name: 'Show plan' }).click();
  await page.getByLabel('Plan').getByText('memory_limit = 333M').first().waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Validating on the server').waitFor();
  await page.getByText('Validating on the server').waitFor({ state: 'detached' });
  want(await has('memory_limit = 333M'), 'the configuration is not on the host');
  // FPM itself refuses what reads well: the old one stays, and what was typed can be mended. A pool needs a site.
  const made = await api(page, 'POST', new URL(page.url()).pathname.replace(/\/php.*/, '/sites'), { type: 'php', name: 'pools.example.com' });
  want(made.status === 202, 'a site with PHP is refused: ' + JSON.stringify(made.body));
  await page.waitForFunction(async (id) => {
    const r = await fetch('/api/orgs/main/sites/' + id);
    return (await r.json()).data?.attributes.status === 'installed';
  }, made.body.data.id, { polling: 500 });
  await page.getByLabel('Configuration', { exact: true }).selectOption('pool');
  await page.waitForURL('**config=pool');
  const refused = 'pm.min_spare_servers = 9\npm.max_spare_servers = 3\npm = dynamic\n';
  await editor.fill(refused);
  await page.getByLabel('Configuration', { exact: true }).selectOption('cli');
  await dialog.getByText('Discard unsaved changes?').waitFor();
  await dialog.getByRole('button', { name: 'Keep editing' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  const work = page.getByRole('region', { name: 'Operation' });
  await work.getByText('Failed', { exact: true }).waitFor();
  await work.getByText(/min_spare_servers|max_spare_servers|start_servers/).waitFor();
  await page.getByText('Unsaved changes').waitFor();
  want((await editor.inputValue()) === refused, 'what was typed is gone: ' + (await editor.inputValue()));
  await page.screenshot({ path: `${stage.shots}/php-refused.png` });
  await editor.fill('pm.max_children = 7\n');
  await page.getByRole('button', { name: 'Save' }).click();
  await work.waitFor({ state: 'detached' });
  want(/pm.max_children = 7/.test(await on('sh', '-c', `cat /etc/php/${version}/fpm/pool.d/*`)), 'the lines of the pool are not on the host');
  await page.reload(); // the address leads to the same configuration
  await page.waitForFunction(() => document.querySelector('textarea')?.value === 'pm.max_children = 7\n');
  step('a configuration is refused at its line, refused by FPM, and applied');

  // a viewer sees every page, and on each what is missing is a sentence
  const linus = { name: 'Linus', email: `linus-${Date.now()}@example.com`, password: 'a password that only looks' };
  want((await api(page, 'POST', '/orgs/main/invites', { email: linus.email, role_id: 5 })).status === 200, 'the viewer is not invited');
  const hers = await context(browser);
  const other = await hers.newPage();
  await other.goto(await mailed(linus.email, 'http://\\S+/invitation#\\S+'));
  await other.getByLabel('Name').fill(linus.name);
  await other.getByLabel('Password').fill(linus.password);
  await other.getByRole('button', { name: 'Create account' }).click();
  await other.waitForURL('**/orgs/main**');
  const seen = [];
  const faults = [];
  const visit = async (path) => {
    if (seen.includes(path)) return;
    seen.push(path);
    await other.goto(stage.url + path);
    await other.locator('h1, h2').first().waitFor();
    await other.waitForFunction(() => !document.querySelector('[aria-label=Loading]'));
    const alert = other.getByRole('main').getByRole('alert').first();
    if (await alert.count()) faults.push(`${path}: ${await alert.innerText()}`);
  };
  const paths = ['', '/servers', '/servers/2', '/sites', `/sites/${stage.site}`, `/sites/${stage.site}/deployments`, '/recipes', '/team', '/settings', '/activity'];
  const queue = paths.map((path) => '/orgs/main' + path);
  for (const path of queue) { // and what their tabs lead to, whose pages have tabs again
    await visit(path);
    for (const link of await other.locator('nav a[href^="/orgs/main"]').evaluateAll((all) => all.map((a) => a.getAttribute('href')))) if (!queue.includes(link)) queue.push(link);
  }
  want(faults.length === 0, 'errors for a viewer:\n' + faults.join('\n'));
  // what a page only looked at is no refusal in the log of the organization
  const log = await api(page, 'GET', '/orgs/main/audit?page[size]=200');
  const unread = log.body.data.map((e) => e.attributes).filter((e) => e.status === 403 && e.path.startsWith('/api/orgs/'));
  want(log.status === 200 && unread.length === 0, `pages asked for what a viewer may not read: ${log.status} ${JSON.stringify(unread.map((e) => `${e.operation} ${e.path}`))}`);
  await other.goto(at('/servers/2/ssh-keys'));
  await other.getByText('You need the permission “Add SSH keys” (server:create-keys) to add keys.').waitFor();
  await other.goto(at(`/servers/2/php/${stage.php}?config=pool`));
  await other.getByText('You need the permission “Manage PHP” (server:manage-php) to change them.').waitFor();
  await other.goto(at('/servers/1/php')); // a load balancer
  await other.getByText("Servers of this type don't have PHP.").waitFor();
  want(seen.length > 35, `a viewer saw ${seen.length} pages only`);
  step(`a viewer read ${seen.length} pages, and was told on each what is missing`);
});
