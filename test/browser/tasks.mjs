// The ten most frequent tasks, each from the first screen of an organization to where it is seen to be done, in as few clicks and keystrokes as the screens
// allow. testdata/tasks.tsv has the counts, which a change may only lower.
import { api, ask, context, main, signIn, stage, step, want } from './lib.mjs';

const web = 2;
const site = 'app.example.com';
const home = stage.url + '/orgs/main';
const stamp = Date.now().toString(36);

/** Hand is a person at the page, who is counted: a click and a key are one, and so is a value that is typed, with the way into its field. */
class Hand {
  count = 0;
  constructor(page) {
    this.page = page;
  }
  async click(at) {
    this.count++;
    await at.click();
  }
  async type(at, text) {
    this.count++;
    await at.fill(text);
  }
  async key(key) {
    this.count++;
    await this.page.keyboard.press(key);
  }
  link(name, options = {}) {
    return this.click(this.page.getByRole('link', { name, exact: true, ...options }).first());
  }
  button(name) {
    return this.click((this.page.getByRole('button', { name, exact: true })).first());
  }
  /** find runs what the palette finds first. */
  async find(words, first) {
    await this.key('Control+k');
    await this.type(this.page.getByRole('combobox', { name: 'Search or run a command' }), words);
    await this.page.getByRole('option', { name: first, exact: true }).and(this.page.locator('[aria-selected=true]')).waitFor();
    await this.key('Enter');
  }
}

await main(async (browser) => {
  const c = await context(browser);
  c.setDefaultTimeout(180_000); // of a deployment on a busy machine
  const page = await c.newPage();
  await signIn(page);
  const tabs = (name) => page.getByRole('navigation', { name });
  const dialog = page.getByRole('dialog');
  const work = (text) => page.getByRole('region', { name: 'Operation' }).getByRole('status').getByText(text, { exact: true });
  const on = (host, ...argv) => ask('exec', { host, argv });

  const task = async (name, run) => {
    await page.goto(home);
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await page.getByRole('heading', { name: 'Activity' }).waitFor();
    const hand = new Hand(page);
    const began = Date.now();
    await run(hand);
    await ask('took', { name, count: hand.count });
    step(`${name}: ${hand.count} clicks and keystrokes, ${((Date.now() - began) / 1000).toFixed(1)} s`);
  };

  const call = async (method, path, body) => (await api(page, method, `/orgs/main/servers/${web}/sites/${stage.site}/deployments${path}`, body)).body;
  const script = (await call('GET', '/script')).data.attributes.content;
  await call('PUT', '/script', { content: 'echo built' });
  await api(page, 'PUT', `/orgs/main/servers/${web}/sites/${stage.site}/healthcheck`, { healthcheck_endpoint: null }); // of text.mjs, in a stage that is held

  await task('deploy', async (hand) => {
    await hand.link('Sites');
    await hand.link(site);
    await hand.button('Deploy now');
    await work('Succeeded').waitFor();
  });
  await task('roll back', async (hand) => {
    await hand.link('Sites');
    await hand.link(site);
    await hand.click(page.getByRole('button', { name: /^Roll back to/ }).first());
    await page.getByText('Rollback').first().waitFor();
    await work('Succeeded').waitFor();
  });
  await task('read a log', async (hand) => {
    await on(web, 'curl', '-sS', '-H', `Host: ${site}`, `http://127.0.0.1/read-${stamp}`);
    await hand.link('Sites');
    await hand.link(site);
    await hand.click(tabs('Site').getByRole('link', { name: 'Logs' }));
    await page.getByText(`/read-${stamp}`).first().waitFor();
  });
  await task('change the environment', async (hand) => {
    await hand.find(`edit env ${site}`, `Edit environment of ${site}`);
    const file = page.getByLabel('.env');
    await hand.type(file, `${await file.inputValue()}STAMP=${stamp}\n`);
    await hand.button('Save');
    await page.getByText('Saved', { exact: true }).waitFor();
    want((await on(web, 'sh', '-c', `cat /home/forge/${site}/.env /home/forge/${site}/shared/.env 2>/dev/null; true`)).includes(`STAMP=${stamp}`), 'the variable is not on the host');
  });
  await task('add a domain with HTTPS', async (hand) => {
    const name = `task-${stamp}.example.net`;
    await ask('leads', { name, host: web });
    await hand.find(`add domain ${site}`, `Add domain to ${site}`);
    await hand.type(dialog.getByLabel('Domain', { exact: true }), name);
    await hand.button('Add domain');
    await page.getByRole('row', { name: /Let's Encrypt.*Active.*Installed/ }).waitFor({ timeout: 120_000 });
    const answer = await on(web, 'curl', '-ksSI', '--resolve', `${name}:443:127.0.0.1`, `https://${name}/`);
    want(/^HTTP\/\S+ 200/.test(answer), 'over HTTPS: ' + answer);
  });
  await task('add a database', async (hand) => {
    await hand.find('new database db-1', 'New database on db-1');
    await hand.type(dialog.getByLabel('Name', { exact: true }), `task_${stamp}`);
    await hand.button('Create');
    await dialog.getByLabel('Password', { exact: true }).waitFor();
    await page.getByRole('button', { name: "I've saved it" }).click(); // of the password, not of the task
    await page.getByRole('row', { name: new RegExp(`task_${stamp}.*Installed`) }).first().waitFor();
  });
  await task('restore a backup', async (hand) => {
    await hand.link('Servers');
    await hand.link('db-1');
    await hand.click(tabs('Server').getByRole('link', { name: 'Backups' }));
    await hand.click(page.locator('a[href$="/backups/1/newest/restore"]'));
    await hand.button('Restore');
    const done = page.getByText(/^Restored to shop_restored\w*\.$/);
    await done.waitFor({ timeout: 120_000 });
    const name = /shop_restored\w*/.exec(await done.innerText())[0];
    want((await on(3, 'mariadb', '-N', '-e', `SHOW TABLES FROM ${name}`)).trim() === 'people', 'the table is not there');
  });
  await task('open a port', async (hand) => {
    await hand.find('add rule web-1', 'Add firewall rule on web-1');
    await hand.type(dialog.getByLabel('Port', { exact: true }), '9443');
    await hand.button('Add rule');
    await page.getByRole('row', { name: /Port 9443.*Installed/ }).waitFor();
    want((await on(web, 'nft', 'list', 'table', 'inet', 'hostler')).includes('9443'), 'the port is closed on the host');
  });
  await task('invite a colleague', async (hand) => {
    await hand.link('Team');
    await hand.button('Invite');
    await hand.type(dialog.getByLabel('Email'), `task-${stamp}@example.com`);
    await hand.click(dialog.getByRole('button', { name: 'Invite', exact: true }));
    await page.getByRole('row', { name: new RegExp(`task-${stamp}@example.com`) }).waitFor();
  });
  await breaks(call);
  await task('find out what is wrong', async (hand) => {
    await hand.click(page.getByRole('link', { name: new RegExp(`^View log.*${site}`) }).first());
    await page.getByRole('log').getByText(`broken by ${stamp}`, { exact: true }).waitFor();
  });
  await call('PUT', '/script', { content: script });
});

/** breaks deploys what fails, and says why. */
async function breaks(call) {
  await call('PUT', '/script', { content: `echo "broken by ${stamp}" >&2; exit 3` });
  const id = (await call('POST', '')).data.id;
  for (let i = 0; (await call('GET', '/' + id)).data.attributes.status !== 'failed'; i++) {
    want(i < 300, 'the deployment that fails does not end');
    await new Promise((done) => setTimeout(done, 200));
  }
}
