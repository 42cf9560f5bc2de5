import { ask, context, main, owner, setUp, stage, step, want } from './lib.mjs';

const within = (ms) => ({ timeout: ms });

async function addServer(page, host, name, kind) {
  await page.getByRole('link', { name: 'Servers', exact: true }).first().click();
  await page.getByRole('link', { name: 'Add server' }).first().click();
  await page.getByRole('radio', { name: new RegExp('^' + kind) }).check();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('SSH port', { exact: true }).fill(String(host.port));
  await page.getByLabel('IP address', { exact: true }).fill('not an address');
  await page.getByRole('button', { name: 'Add server' }).click();
  // what the API refuses is shown on its field, and what was typed stays
  await page.getByLabel('IP address', { exact: true }).and(page.locator('[aria-invalid=true]')).waitFor();
  want((await page.getByLabel('Name', { exact: true }).inputValue()) === name, 'what was typed is gone');
  await page.getByLabel('IP address', { exact: true }).fill(host.ip);
  await page.getByRole('button', { name: 'Add server' }).click();
  const line = await page.getByLabel('Setup command').innerText();
  want(line.includes('HOSTLER_SECRET='), 'no line to paste: ' + line);
  await page.getByText('Awaiting setup').first().waitFor();
  step(`${name} is added, and waits for its line`);
  await ask('exec', { host: host.index, argv: ['sh', '-c', line] });
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await page.getByText('The server connected').waitFor();
  step(`${name} called back`);
  // the page is at the step that the server is at: once it answers, packages are next
  await page.locator('li[aria-current=step]', { hasText: 'Packages, users' }).waitFor(within(180_000));
  step(`${name} is being set up`);
}

async function ready(page, name) {
  await page.getByRole('link', { name: 'Servers', exact: true }).first().click();
  await page.getByRole('row', { name: new RegExp(name + '.*Ready') }).waitFor(within(180_000));
  step(`${name} is ready`);
}

await main(async (browser) => {
  const c = await context(browser);
  const page = await c.newPage();
  const [first, second] = stage.hosts;

  await setUp(page);
  step('the first account is made, and signed in');
  await page.getByRole('button', { name: /, your account/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByLabel('Email').fill(owner.email);
  await page.getByLabel('Password').fill('not the password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('do not match').waitFor();
  await page.getByLabel('Password').fill(owner.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Add your first server', { exact: true }).waitFor();
  step('signed in');

  await addServer(page, first, 'edge', 'Load balancer');
  await addServer(page, second, 'web-1', 'Web server');
  await ready(page, 'edge');
  await ready(page, 'web-1');

  // a rule: planned, added, seen on the host, removed
  await page.getByRole('link', { name: 'web-1' }).click();
  await page.getByRole('link', { name: 'Access', exact: true }).click(); // its first page is the firewall
  await page.getByRole('button', { name: 'Add rule' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Metrics of the office');
  await page.getByLabel('Port', { exact: true }).fill('9100');
  await page.getByLabel('Source', { exact: true }).fill('203.0.113.0/24');
  await page.getByRole('button', { name: 'Show plan' }).click();
  await page.getByLabel('Plan').getByText('+').first().waitFor();
  want(!(await ask('exec', { host: 2, argv: ['nft', 'list', 'table', 'inet', 'hostler'] })).includes('9100'), 'a plan changed the host');
  await page.getByRole('dialog').getByRole('button', { name: 'Add rule' }).click();
  await page.getByRole('row', { name: /Metrics of the office.*Installed/ }).waitFor();
  want((await ask('exec', { host: 2, argv: ['nft', 'list', 'table', 'inet', 'hostler'] })).includes('9100'), 'the rule is not on the host');
  step('a firewall rule is live');

  // changed, and undone by its event, which shows the plan first
  const rules = page.url();
  await page.getByRole('button', { name: 'Edit Metrics of the office' }).click();
  await page.getByLabel('Port', { exact: true }).fill('9101');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('row', { name: /Metrics of the office.*9101.*Installed/ }).waitFor();
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  await page.getByRole('link', { name: 'Events', exact: true }).click();
  await page.getByRole('link', { name: 'Changed firewall rule Metrics of the office' }).first().click();
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  const undo = page.getByRole('dialog', { name: 'Undo this change?' });
  await undo.getByLabel('Plan').getByText('9100').first().waitFor();
  want((await ask('exec', { host: 2, argv: ['nft', 'list', 'table', 'inet', 'hostler'] })).includes('9101'), 'the plan of an undo changed the host');
  if (stage.shots) await page.screenshot({ path: `${stage.shots}/undo.png` });
  const changed = page.url();
  await undo.getByRole('button', { name: 'Undo', exact: true }).click();
  await page.waitForURL((url) => url.href !== changed);
  await page.getByRole('region', { name: 'Planned, applied, verified' }).getByText('Applied', { exact: true }).waitFor();
  const undone = await ask('exec', { host: 2, argv: ['nft', 'list', 'table', 'inet', 'hostler'] });
  want(undone.includes('9100') && !undone.includes('9101'), 'the change is not undone on the host');
  await page.goto(changed);
  await page.getByRole('region', { name: 'Planned, applied, verified' }).waitFor();
  want((await page.getByRole('button', { name: 'Undo', exact: true }).count()) === 0, 'what is undone is offered to be undone');
  step('and changed, and that is undone');
  await page.goto(rules);
  await page.getByRole('button', { name: 'Delete Metrics of the office' }).click();
  await page.getByRole('button', { name: 'Delete rule' }).click();
  await page.getByRole('dialog').waitFor(); // nothing goes without its name
  await page.getByLabel(/Type Metrics/).fill('Metrics of the office');
  await page.getByRole('button', { name: 'Delete rule' }).click();
  await page.getByRole('row', { name: /Metrics of the office/ }).waitFor({ state: 'detached' });
  step('and removed');

  // a site on the web server, a balancer before it, and the page that a visitor gets
  for (const [on, domain] of [['web-1', 'shop.example.com'], ['edge (load balancer)', 'shop.example.com']]) {
    await page.getByRole('link', { name: 'Sites', exact: true }).first().click();
    await page.getByRole('link', { name: 'New site' }).first().click();
    await page.getByLabel('Server', { exact: true }).selectOption({ label: on });
    await page.getByLabel('Domain', { exact: true }).fill(domain);
    if (on === 'web-1') await page.getByRole('radio', { name: /^Static files/ }).check();
    else await page.getByRole('button', { name: 'Add node' }).click();
    await page.getByRole('button', { name: 'Create site' }).click();
    await page.getByRole('heading', { level: 1, name: domain }).waitFor();
    await page.getByText('Installed', { exact: true }).first().waitFor(within(60_000));
    step(`${domain} is installed on ${on}`);
  }
  await ask('exec', { host: 2, argv: ['sh', '-c', 'echo "<h1>open for you</h1>" > /home/forge/shop.example.com/index.html'] });
  const served = await ask('exec', { host: 1, argv: ['curl', '-sS', '-H', 'Host: shop.example.com', 'http://127.0.0.1/'] });
  want(served.includes('open for you'), 'the balancer serves: ' + served);
  step('a visitor gets the page through the balancer');

  await page.getByRole('link', { name: 'Load balancing' }).click();
  await page.getByLabel('Weight').fill('7');
  await page.getByRole('button', { name: 'Show plan' }).click();
  await page.getByLabel('Plan').getByText(/weight=7/).waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
  for (let i = 0; ; i++) {
    if ((await ask('exec', { host: 1, argv: ['nginx', '-T'] })).includes('weight=7')) break;
    want(i < 100, 'the weight is not on the host');
    await page.waitForTimeout(100);
  }
  step('the weight of a node is changed');

  // what happened, with its output
  await page.getByRole('link', { name: 'Servers', exact: true }).first().click();
  await page.getByRole('link', { name: 'web-1' }).click();
  await page.getByRole('link', { name: 'Events', exact: true }).click();
  await page.getByRole('link', { name: /Provisioned server web-1/ }).click();
  await page.getByRole('log').getByText(/account forge/).first().waitFor();
  step('the output of provisioning is there');

  // the panel dies: the page says so, and recovers
  await ask('kill');
  await page.getByText('Connection lost').waitFor();
  await ask('up');
  await page.getByText('Connection lost').waitFor({ state: 'detached' });
  step('the panel died, and the page recovered');

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search or run a command' }).fill('shop');
  await page.getByRole('option', { name: /shop.example.com/ }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'shop.example.com' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search or run a command' }).fill('fire web-1');
  await page.getByRole('option', { name: 'web-1: Firewall', exact: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 2, name: 'Firewall' }).waitFor();
  step('found by the palette, and a part of a server by both names');
});
