// The card of a new site: what is next, from the deploy key to HTTPS, ticked by itself and by nothing that is not so.
import { api, ask, context, main, setUp, stage, step, want } from './lib.mjs';

const git = stage.git;
const web = stage.hosts[0];
const on = (...argv) => ask('exec', { host: git.host, argv });

await main(async (browser) => {
  const c = await context(browser);
  const page = await c.newPage();
  await setUp(page);
  const made = await api(page, 'POST', '/orgs/main/servers', { name: 'web-1', provider: 'custom', type: 'web', custom: { ip_address: web.ip, port: web.port } });
  want(made.status < 300, 'no server: ' + JSON.stringify(made));
  await ask('exec', { host: web.index, argv: ['sh', '-c', made.body.data.meta.bootstrap.command] });
  await on('sh', '-c', `cd /root/app && mkdir -p dist && echo 'page one' > dist/index.html && git add -A && git commit -q -m 'First page' && git push -q origin HEAD:main && chown -R git:git /home/git/app.git`);

  // The card is there before the server is: its key can be copied meanwhile.
  await page.goto(stage.url + '/orgs/main/sites/new');
  await page.getByLabel('Domain', { exact: true }).fill('app.example.com');
  await page.getByRole('radio', { name: /^Static files/ }).check();
  await page.getByLabel('Repository', { exact: true }).fill(git.url);
  await page.getByText('the deploy key to add at the Git server').waitFor();
  await page.getByText('More options: directory').click();
  await page.getByLabel('Web directory').fill('/dist');
  await page.getByRole('button', { name: 'Create site' }).click();
  const card = page.getByRole('region', { name: 'From the repository to HTTPS' });
  const current = (text) => card.locator('li[aria-current=step]', { hasText: text }).waitFor({ timeout: 240_000 });
  const done = (text) => card.getByRole('listitem').filter({ hasText: `${text} Done` }).waitFor();
  await current('Let the server read the repository');
  const key = (await card.getByLabel('Public deploy key').innerText()).trim();
  want(key.startsWith('ssh-ed25519 '), 'deploy key: ' + key);
  want(await card.getByText('Done', { exact: true }).count() === 0, 'a step is ticked of a site that is not installed');
  step('the key is shown before anything needs it');

  // It is checked by itself once the site is there, and nothing is ticked that is not so.
  await card.getByText("The server can't read the repository").waitFor({ timeout: 240_000 });
  await card.getByText("The Git server does not let the site's deploy key in.").waitFor();
  want(await card.getByText('Done', { exact: true }).count() === 0, 'a step is ticked although the key is refused');
  if (stage.shots) await page.screenshot({ path: `${stage.shots}/card-refused.png`, fullPage: true });
  step('a key that the Git server does not know is said to be refused');

  // Whoever adds the key there and comes back finds it checked.
  await on('sh', '-c', `echo '${key}' > /home/git/.ssh/authorized_keys && chown git:git /home/git/.ssh/authorized_keys && chmod 600 /home/git/.ssh/authorized_keys`);
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
  await done('Access checked');
  await done('Let the server read the repository');
  await current('First deployment');
  step('and once it is added, access is checked by itself');

  // The check says what the repository has, and offers what fits it.
  await on('sh', '-c', `cd /root/app && echo '{"devDependencies": {"vite": "7"}, "scripts": {"build": "vite build"}}' > package.json && echo 22 > .nvmrc && touch pnpm-lock.yaml &&
    git add -A && git commit -q -m 'A front end' && git push -q origin HEAD:main && chown -R git:git /home/git/app.git`);
  await card.getByRole('button', { name: 'Check access', exact: true }).click();
  await card.getByText('The repository has Vite, by package.json.').waitFor();
  await card.getByText('.nvmrc asks for Node.js 22.').waitFor();
  await card.getByText('Runtime: Node.js 22', { exact: true }).waitFor();
  want(await card.getByText('Web directory: ').count() === 0, 'another web directory is proposed than the one that was chosen');
  want((await card.getByLabel('Proposed deploy script').innerText()).includes('pnpm install --frozen-lockfile'), 'the proposed script installs with something else');
  if (stage.shots) await page.screenshot({ path: `${stage.shots}/card-proposed.png`, fullPage: true });
  await card.getByRole('button', { name: 'Use this script', exact: true }).click();
  await card.getByLabel('Proposed deploy script').waitFor({ state: 'detached' });
  step('what the repository has is found by the check, and a script that fits is taken with one click');

  // A branch that is not there is found without a deployment.
  const site = page.url().split('/').pop();
  const at = `/orgs/main/servers/${made.body.data.id}/sites/${site}`;
  want((await api(page, 'PUT', at + '/git', { source_control_provider: 'custom', repository: git.url, branch: 'nowhere' })).status === 202, 'the branch is not changed');
  await card.getByText('The repository has no branch nowhere.').waitFor();
  want(await card.getByText('Done', { exact: true }).count() === 0, 'the check of another branch counts');
  want((await api(page, 'PUT', at + '/git', { source_control_provider: 'custom', repository: git.url, branch: 'main' })).status === 202, 'the branch is not changed back');
  await current('First deployment');
  step('a branch that is not there is found by the check');

  // A Git server that is reinstalled has another host key. The site reads nothing from it until a person has compared and confirmed that key.
  const sshd = (key) => on('sh', '-c', `mkdir -p /run/sshd; test ! -e /run/other.pid || kill $(cat /run/other.pid); ssh-keygen -q -t ed25519 -N '' -f /etc/ssh/${key}; grep -v -i ^hostkey /etc/ssh/sshd_config > /etc/ssh/other_config
    until /usr/sbin/sshd -f /etc/ssh/other_config -p 2223 -h /etc/ssh/${key} -o PidFile=/run/other.pid; do sleep 0.1; done; ssh-keygen -lf /etc/ssh/${key}.pub | cut -d ' ' -f 2`);
  await sshd('before');
  const other = git.url.replace(/^(ssh:\/\/[^/]+)/, '$1:2223');
  want((await api(page, 'PUT', at + '/git', { source_control_provider: 'custom', repository: other, branch: 'main' })).status === 202, 'the repository is not moved');
  while ((await api(page, 'GET', at + '/git/check')).body.data.attributes.state !== 'passed') await page.waitForResponse((r) => r.url().endsWith('/git/check'));
  const fingerprint = (await sshd('after')).trim();
  await card.getByRole('button', { name: 'Check access', exact: true }).click();
  await card.getByText(`The Git server now shows the host key ${fingerprint}.`).waitFor();
  want(await card.getByText('Done', { exact: true }).count() === 0, 'a server with an unknown host key counts as read');
  if (stage.shots) await page.screenshot({ path: `${stage.shots}/card-host-key.png`, fullPage: true });
  await card.getByRole('button', { name: 'Confirm the new key' }).click();
  const confirm = page.getByRole('dialog', { name: "Confirm the Git server's new host key?" });
  if (stage.shots) await page.screenshot({ path: `${stage.shots}/card-host-key-confirm.png` });
  await confirm.getByLabel('Type app.example.com to confirm').fill('app.example.com');
  await confirm.getByRole('button', { name: 'Confirm', exact: true }).click();
  await done('Access checked');
  await card.getByText('The Git server now shows the host key').waitFor({ state: 'detached' });
  want((await api(page, 'PUT', at + '/git', { source_control_provider: 'custom', repository: git.url, branch: 'main' })).status === 202, 'the repository is not moved back');
  await current('First deployment');
  step('a new host key of the Git server is shown, and confirmed by a person');

  // A deployment that fails says why; the next one is live.
  const script = (content) => api(page, 'PUT', at + '/deployments/script', { content });
  await script('npm run nothing-of-this');
  await card.getByRole('button', { name: 'Start the first deployment', exact: true }).click();
  await card.getByText('The deploy script needs the program npm').waitFor();
  await card.getByRole('link', { name: 'Edit the deploy script' }).waitFor();
  await current('First deployment');
  await script('echo built');
  await card.getByRole('button', { name: 'Try the deployment again', exact: true }).click();
  await done('First deployment');
  await current('Domain points to the server');
  if (stage.shots) await page.screenshot({ path: `${stage.shots}/card-deployed.png`, fullPage: true });
  step('a failed deployment says why, and the next one ticks the step');

  await ask('leads', { name: 'app.example.com', host: web.index });
  await done('Domain points to the server');
  // The click is answered at once, also by a panel that takes long.
  let answer;
  const held = new Promise((done) => { answer = done; });
  await page.route('**/certificates', (route) => (route.request().method() === 'POST' ? held : Promise.resolve()).then(() => route.continue()));
  await card.getByRole('button', { name: 'Get a certificate', exact: true }).click();
  await card.getByText('Requesting a certificate for app.example.com.').waitFor();
  answer();
  let lost = 0; // of ticks, until the card is gone
  while (await card.count()) lost += (await card.getByRole('listitem').filter({ hasText: 'Domain points to the server' }).filter({ hasNotText: 'Done' }).count()) > 0;
  want(lost === 0, 'a step that was done is not while the certificate is requested');
  const live = page.getByRole('region', { name: 'Your site is deployed' });
  await live.getByRole('link', { name: 'https://app.example.com' }).waitFor();
  await page.reload();
  await live.getByRole('button', { name: 'Close' }).click();
  await live.waitFor({ state: 'detached' });
  await page.getByRole('region', { name: 'At a glance' }).getByText('https://app.example.com').waitFor();
  await page.getByRole('region', { name: 'At a glance' }).getByText('A front end').waitFor();
  if (stage.shots) await page.screenshot({ path: `${stage.shots}/glance.png`, fullPage: true });
  step('once HTTPS is on, the card is gone, and what is live is in its place');
});
