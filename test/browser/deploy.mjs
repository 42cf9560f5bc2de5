// A site from a repository: deployed and watched while it is, a failing one that leaves the old release, back to an older one; and a deployment
// during which the network is gone and the panel dies.
import { ask, context, main, signIn, stage, step, want } from './lib.mjs';

const web = 2;
const git = stage.git;
const on = (...argv) => ask('exec', { host: git.host, argv });
const served = () => ask('exec', { host: web, argv: ['curl', '-sS', '-H', 'Host: app.example.com', 'http://127.0.0.1/'] });

async function commit(message, text) {
  await on('sh', '-c', `cd /root/app && mkdir -p dist && echo '${text}' > dist/index.html && git add -A && git commit -q --allow-empty -m '${message}' && git push -q origin HEAD:main && chown -R git:git /home/git/app.git`);
}

async function script(page, text) {
  await page.getByRole('link', { name: 'Deploy script' }).click();
  await page.getByLabel('Script', { exact: true }).fill(text);
  await page.getByText('Unsaved changes').waitFor();
  await page.getByRole('button', { name: 'Changes', exact: true }).click();
  await page.getByRole('dialog').getByLabel('Difference').getByText('+').first().waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved. Applies from the next deployment.').waitFor();
}

async function deploy(page) {
  await page.getByRole('link', { name: 'History' }).click();
  await page.getByRole('button', { name: 'Deploy now', exact: true }).first().click();
  await page.waitForURL(/deployments\/\d+/);
}

const state = (page, text) => page.getByRole('region', { name: 'Operation' }).getByRole('status').getByText(text, { exact: true });

await main(async (browser) => {
  const c = await context(browser);
  const page = await c.newPage();
  await signIn(page);
  await commit('First page', 'page one');

  await page.getByRole('link', { name: 'Sites', exact: true }).first().click();
  await page.getByRole('link', { name: 'New site' }).first().click();
  await page.getByLabel('Server', { exact: true }).selectOption({ label: 'web-1' });
  await page.getByLabel('Domain', { exact: true }).fill('app.example.com');
  await page.getByRole('radio', { name: /^Static files/ }).check();
  await page.getByLabel('Repository', { exact: true }).fill(git.url);
  await page.getByText('More options: directory').click();
  await page.getByLabel('Web directory').fill('/dist');
  await page.getByRole('button', { name: 'Create site' }).click();
  await page.getByRole('heading', { level: 1, name: 'app.example.com' }).waitFor();
  await page.getByText('Not deployed yet', { exact: true }).first().waitFor();
  step('the site is installed');

  await page.getByRole('link', { name: 'Deployments', exact: true }).click();
  await page.getByRole('link', { name: 'Repository', exact: true }).click();
  const key = (await page.getByLabel('Public deploy key').innerText()).trim();
  want(key.startsWith('ssh-ed25519 '), 'deploy key: ' + key);
  await on('sh', '-c', `echo '${key}' >> /home/git/.ssh/authorized_keys && chown git:git /home/git/.ssh/authorized_keys && chmod 600 /home/git/.ssh/authorized_keys`);

  await script(page, 'for i in 1 2 3 4 5 6; do echo "building $i"; sleep 0.5; done');
  await deploy(page);
  await page.getByRole('log').getByText('building 2').waitFor();
  want(await page.getByText('Live', { exact: true }).isVisible(), 'the log is not live while the deployment runs');
  await page.screenshot({ path: `${stage.shots}/deploying.png` });
  await page.getByRole('log').getByText('building 6').waitFor();
  await state(page, 'Succeeded').waitFor();
  want((await served()).includes('page one'), 'not served: ' + (await served()));
  step('a deployment was watched to its end, and is served');

  // a line is an address; the search finds; a step folds
  await page.getByRole('link', { name: 'Line 2', exact: true }).click();
  want(/#L2$/.test(page.url()), 'no permalink: ' + page.url());
  await page.getByLabel('Search output').fill('building');
  await page.getByText(/[6-9] found/).waitFor();
  await page.getByLabel('Search output').fill('');
  const fold = page.getByRole('button', { name: /^script/ });
  await fold.click();
  await page.getByRole('log').getByText('building 6').waitFor({ state: 'detached' });
  await fold.click();
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download' }).click()]);
  want(/^deployment-\d+\.log$/.test(file.suggestedFilename()), 'file: ' + file.suggestedFilename());
  step('the log was searched, folded and downloaded');

  await commit('Second page', 'page two');
  const last = page.url();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search or run a command' }).fill('deploy app');
  await page.getByRole('option', { name: 'Deploy app.example.com', exact: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL((u) => /deployments\/\d+$/.test(u.pathname) && u.href !== last);
  await state(page, 'Succeeded').waitFor();
  want((await served()).includes('page two'), 'the second is not served');
  await commit('A broken one', 'page three');
  await script(page, 'echo before; echo "no such thing" >&2; exit 3');
  await deploy(page);
  await state(page, 'Failed').waitFor();
  await page.getByRole('log').getByText('no such thing', { exact: true }).waitFor();
  want((await served()).includes('page two'), 'a failed deployment is served');
  await page.getByRole('link', { name: 'Home', exact: true }).first().click();
  await page.getByRole('listitem').filter({ hasText: 'app.example.com' }).getByRole('link', { name: /^View log/ }).waitFor();
  await page.screenshot({ path: `${stage.shots}/home-failed.png`, animations: 'disabled' });
  await page.getByRole('link', { name: /^View log/ }).click();
  await page.getByRole('log').getByText('no such thing', { exact: true }).waitFor();
  step('a failed deployment leaves the old release, and stands on the first screen');

  await page.getByRole('link', { name: 'History' }).click();
  await page.getByRole('link', { name: 'First page' }).click();
  await page.getByRole('button', { name: 'Roll back to this release', exact: true }).click();
  await page.getByText('Rollback').first().waitFor();
  await state(page, 'Succeeded').waitFor();
  want((await served()).includes('page one'), 'the rollback is not served');
  step('and an older release is live again');

  // cancel
  await script(page, 'echo begun; sleep 300');
  await deploy(page);
  await page.getByRole('log').getByText('begun').waitFor();
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.getByRole('button', { name: 'Cancel and keep the current release', exact: true }).click();
  await state(page, 'Cancelled').waitFor();
  want((await served()).includes('page one'), 'after a cancelled deployment: ' + (await served()));
  step('a deployment was cancelled');

  // the network is gone for half a minute and the panel dies midway; the deployment continues, and the page recovers
  await script(page, 'for i in $(seq 1 45); do echo "long $i"; sleep 1; done');
  await deploy(page);
  await page.getByRole('log').getByText('long 2', { exact: true }).waitFor();
  await c.setOffline(true);
  const gone = Date.now();
  await page.getByText('Connection lost').waitFor();
  await ask('kill');
  await ask('up');
  await page.screenshot({ path: `${stage.shots}/lost.png` });
  await page.waitForTimeout(Math.max(0, 30_000 - (Date.now() - gone))); // the network really is gone that long
  want(await page.getByText('Connection lost').isVisible(), 'the page does not say that it is cut off');
  await c.setOffline(false);
  await page.getByText('Connection lost').waitFor({ state: 'detached' });
  await page.getByRole('log').getByText('long 45', { exact: true }).waitFor({ timeout: 120_000 });
  await state(page, 'Succeeded').waitFor();
  want((await served()).includes('page three'), 'what was deployed meanwhile is not served: ' + (await served()));
  const lines = (await page.getByRole('log').innerText()).match(/long \d+/g);
  want(lines.length === 45 && new Set(lines).size === 45, `the log has ${lines.length} of 45 lines`);
  step('30 s without network and a killed panel: the page recovered and shows the truth');

  // the environment: values are not shown before they are requested
  await page.getByRole('link', { name: 'Code', exact: true }).click();
  await page.getByRole('button', { name: 'Create environment', exact: true }).click();
  await page.getByLabel('.env').fill('APP_NAME=Shop\nAPP_KEY=very-secret-value\n');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.reload();
  await page.getByText('APP_KEY').waitFor();
  want(!(await page.locator('body').innerText()).includes('very-secret-value'), 'a value is shown unasked');
  step('the environment is written');

  await page.getByRole('link', { name: 'Commands', exact: true }).click();
  await page.getByLabel('Command', { exact: true }).fill('echo it is $((6 * 7)) in $(basename $PWD)');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('log').getByText('it is 42').waitFor();
  step('a command ran');

  await page.getByRole('link', { name: 'Domains', exact: true }).click();
  await page.getByRole('link', { name: 'Redirects', exact: true }).click();
  await page.getByRole('button', { name: 'Add redirect' }).click();
  await page.getByLabel('From', { exact: true }).fill('^/old$');
  await page.getByLabel('To', { exact: true }).fill('/new');
  await page.getByRole('dialog').getByRole('button', { name: 'Add redirect' }).click();
  await page.getByRole('row', { name: /\^\/old\$.*Installed/ }).waitFor();
  const led = await ask('exec', { host: web, argv: ['curl', '-sSI', '-H', 'Host: app.example.com', 'http://127.0.0.1/old'] });
  want(/301/.test(led), 'not led on: ' + led);
  step('a redirect leads on');

  await page.getByRole('link', { name: 'Security', exact: true }).click();
  await page.getByRole('button', { name: 'Protect path' }).click();
  await page.getByLabel('Path', { exact: true }).fill('/admin');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('group', { name: 'Users' }).getByLabel('Username', { exact: true }).fill('ada');
  await dialog.getByLabel('Password', { exact: true }).fill('a secret of ada');
  await dialog.getByRole('button', { name: 'Protect path' }).click();
  await page.getByRole('row', { name: /\/admin.*Installed/ }).waitFor();
  step('a path is protected');

  // nginx refuses errors, names the line, and serves as before
  await page.getByRole('link', { name: 'Nginx', exact: true }).click();
  const editor = page.getByLabel('app.example.com', { exact: true });
  const before = await editor.inputValue();
  await editor.fill(before.replace('server {', 'server {\n    client_max_body_size nonsense;'));
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').getByText('nginx rejected the configuration').waitFor();
  await page.getByRole('alert').getByText(/client_max_body_size/).waitFor();
  await page.getByText('Unsaved changes').waitFor();
  want((await editor.inputValue()).includes('nonsense'), 'what was typed is gone');
  await page.screenshot({ path: `${stage.shots}/nginx-refused.png` });
  want((await served()).includes('page three'), 'the site is not served as before');
  step('nginx refused a configuration, and the site is served as before');
  await editor.fill(before.replace('server {', 'server {\n    # ours'));
  await page.getByRole('button', { name: 'Show plan' }).click();
  await page.getByLabel('Plan').getByText('# ours').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Customized', { exact: true }).waitFor();
  await page.getByRole('alert').waitFor({ state: 'detached' });
  step('and took one that is right');

  await page.getByRole('navigation', { name: 'Site', exact: true }).getByRole('link', { name: 'Domains' }).click();
  await page.getByRole('button', { name: 'Add domain' }).click();
  await page.getByLabel('Domain', { exact: true }).fill('www.example.net');
  await page.getByLabel('Turn on HTTPS').uncheck();
  await page.getByRole('dialog').getByRole('button', { name: 'Add domain' }).click();
  await page.getByRole('heading', { name: /www\.example\.net/ }).waitFor();
  await page.getByText('Enabled', { exact: true }).first().waitFor();
  want((await ask('exec', { host: web, argv: ['curl', '-sS', '-H', 'Host: www.example.net', 'http://127.0.0.1/'] })).includes('page three'), 'the new domain is not served');
  step('another domain is served');
});
