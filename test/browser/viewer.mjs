// A viewer, who reads every page: none is refused, no tab leads to a page that only says what is missing, and nothing is in the audit log for it.
import { api, context, mailed, main, signIn, stage, step, want } from './lib.mjs';

const at = (where) => stage.url + '/orgs/main' + where;

/** onlyRefused reports whether a page shows nothing but that a permission is missing. */
function onlyRefused() {
  const page = document.querySelector('main').cloneNode(true);
  for (const frame of page.querySelectorAll('nav, header')) frame.remove();
  return [...page.querySelectorAll('[role=status]')].some((e) => /permission “/.test(e.textContent)) && !page.querySelector('table, [role=table], dl, ul, ol, form, pre, textarea, input');
}

await main(async (browser) => {
  const page = await (await context(browser)).newPage();
  await signIn(page);
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
    if (await other.evaluate(onlyRefused)) faults.push(`${path} only says what is missing: ${await other.getByRole('main').innerText()}`);
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
  // what has no tab has its address, which says what is missing
  await other.goto(at(`/sites/${stage.site}/environment`));
  await other.getByText('(site:manage-environment)').first().waitFor();
  want(await other.getByRole('navigation', { name: 'Site' }).getByRole('link', { name: 'Environment' }).count() === 0, 'a viewer has a tab for the environment');
  await other.goto(at('/servers/2/ssh-keys'));
  await other.getByText('You need the permission “Add SSH keys” (server:create-keys) to add keys.').waitFor();
  await other.goto(at(`/servers/2/php/${stage.php}?config=pool`));
  await other.getByText('You need the permission “Manage PHP” (server:manage-php) to change them.').waitFor();
  await other.goto(at('/servers/1/php')); // a load balancer
  await other.getByText("Servers of this type don't have PHP.").waitFor();
  want(seen.length > 30, `a viewer saw ${seen.length} pages only`);
  step(`a viewer read ${seen.length} pages, and was told on each what is missing`);
});
