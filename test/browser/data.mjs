// A database with its account, storage, a backup, a proof of it, and the restore of what was lost.
import { ask, context, main, signIn, stage, step, want } from './lib.mjs';

const within = (ms) => ({ timeout: ms });
const host = 3;
const sql = (statement) => ask('exec', { host, argv: ['mariadb', '-N', '-e', statement] });

await main(async (browser) => {
  const c = await context(browser);
  const page = await c.newPage();
  await signIn(page);
  const machine = stage.hosts[host - 1];

  await page.getByRole('link', { name: 'Servers', exact: true }).first().click();
  await page.getByRole('link', { name: 'Add server' }).first().click();
  await page.getByRole('radio', { name: /^Database server/ }).check();
  await page.getByLabel('Name', { exact: true }).fill('db-1');
  await page.getByLabel('SSH port', { exact: true }).fill(String(machine.port));
  await page.getByLabel('IP address', { exact: true }).fill(machine.ip);
  await page.getByLabel('Database', { exact: true }).selectOption('mariadb1011');
  await page.getByRole('button', { name: 'Add server' }).click();
  await page.getByLabel('Setup command').waitFor();
  // the line is lost with the page, and another one is made
  await page.reload();
  await page.getByRole('button', { name: 'Generate a new command', exact: true }).click();
  const line = await page.getByLabel('Setup command').innerText();
  await ask('exec', { host, argv: ['sh', '-c', line] });
  await page.getByText('The server connected').waitFor();
  await page.getByRole('link', { name: 'Servers', exact: true }).first().click();
  await page.getByRole('row', { name: /db-1.*Ready/ }).waitFor(within(240_000));
  step('a database server is ready, by a line that was made anew');

  await page.getByRole('link', { name: 'db-1' }).click();
  await page.getByRole('link', { name: 'Databases', exact: true }).click();
  await page.getByRole('button', { name: 'New database' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill('shop');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  const password = (await page.getByLabel('Password', { exact: true }).innerText()).trim();
  want(password.length >= 16, 'password: ' + password);
  await page.screenshot({ path: `${stage.shots}/password-once.png` });
  await page.getByRole('button', { name: "I've saved it" }).click();
  await page.getByRole('row', { name: /shop.*Installed/ }).first().waitFor();
  await page.reload();
  await page.getByRole('row', { name: /shop.*Installed/ }).first().waitFor();
  want(!(await page.locator('body').innerText()).includes(password), 'the password is shown again');
  await ask('exec', { host, argv: ['mariadb', '-h127.0.0.1', '-ushop', `-p${password}`, 'shop', '-e', "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(50)); INSERT INTO people VALUES (1, 'Ada'), (2, 'Grace')"] });
  step('a database and its account work, and the password was shown once');

  await page.getByRole('link', { name: 'Settings', exact: true }).first().click();
  await page.getByRole('link', { name: 'Storage', exact: true }).click();
  await page.getByRole('button', { name: 'Connect storage' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill('Archive');
  await page.getByLabel('Endpoint').fill('http://127.0.0.1:1');
  await page.getByLabel('Bucket', { exact: true }).fill(stage.s3.bucket);
  await page.getByLabel('Access key', { exact: true }).fill(stage.s3.access);
  await page.getByLabel('Secret key', { exact: true }).fill(stage.s3.secret);
  await page.getByRole('button', { name: 'Test and connect' }).click();
  await page.getByLabel('Endpoint').and(page.locator('[aria-invalid=true]')).waitFor(); // it was tried, and there is no listener
  await page.getByLabel('Endpoint').fill(stage.s3.endpoint);
  await page.getByRole('button', { name: 'Test and connect' }).click();
  await page.getByRole('row', { name: /Archive/ }).waitFor();
  step('storage is connected');

  // an SFTP server: its key is shown, compared and accepted, and only then are credentials sent
  const box = stage.hosts[1];
  await ask('exec', { host: 2, argv: ['sh', '-c', `useradd --create-home --shell /usr/sbin/nologin keeper && echo keeper:geheim-geheim | chpasswd && install -d -o keeper /home/keeper/kept &&
    printf 'Match User keeper\\n  PasswordAuthentication yes\\n  ForceCommand internal-sftp\\n' >/etc/ssh/sshd_config.d/01-keeper.conf && systemctl reload ssh`] });
  await page.getByRole('button', { name: 'Connect storage' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('Box');
  await dialog.getByLabel('Endpoint').fill(`sftp://${box.ip}:${box.port}/home/keeper/kept`); // which says what kind it is
  await dialog.getByLabel('Directory', { exact: true }).fill('backups');
  await dialog.getByLabel('User', { exact: true }).fill('keeper');
  await dialog.getByLabel('Password or private key').fill('geheim-geheim');
  await dialog.getByRole('button', { name: 'Test and connect' }).click();
  const right = dialog.getByRole('button', { name: 'Trust this key' });
  await right.waitFor();
  const [button, window] = [await right.boundingBox(), await dialog.boundingBox()];
  want(button.y + button.height <= window.y + window.height, 'the way on is out of sight');
  want(await dialog.evaluate((d) => d.scrollWidth <= d.clientWidth), 'the dialog is wider than it is');
  await page.screenshot({ path: `${stage.shots}/storage-host-key.png` });
  await right.click();
  const shown = await dialog.getByLabel('Host key', { exact: true }).inputValue();
  want((await ask('exec', { host: 2, argv: ['sh', '-c', 'cat /etc/ssh/ssh_host_*_key.pub'] })).includes(shown), 'that is no key of the machine: ' + shown);
  await dialog.getByRole('button', { name: 'Test and connect' }).click();
  await page.getByRole('row', { name: /Box.*SFTP server/ }).waitFor();
  step('storage over SFTP is connected, by a key that was compared');

  // Hostler's own disk needs no credentials, only a setting, and the form says which
  await page.getByRole('button', { name: 'Connect storage' }).first().click();
  await dialog.getByLabel('Type', { exact: true }).selectOption({ label: 'The server that runs Hostler' });
  want((await dialog.getByLabel(/key|Endpoint|Region/).count()) === 0, 'a disk is asked for credentials');
  await dialog.getByLabel('Name', { exact: true }).fill('Disk');
  await dialog.getByLabel('Directory', { exact: true }).fill('backups');
  await dialog.getByRole('button', { name: 'Test and connect' }).click();
  await dialog.getByText('started without --local-storage').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  step("this machine's disk is a kind of storage");

  await page.getByRole('link', { name: 'Servers', exact: true }).first().click();
  await page.getByRole('link', { name: 'db-1' }).click();
  await page.getByRole('link', { name: 'Backups', exact: true }).click();
  await page.getByRole('link', { name: 'New backup' }).first().click();
  await page.getByRole('button', { name: 'Create backup' }).click();
  await page.getByText('Not verified yet').waitFor();
  await page.getByRole('button', { name: 'Back up now', exact: true }).first().click();
  await page.getByRole('row', { name: /Succeeded.*shop/ }).waitFor(within(120_000));
  step('a backup is stored');
  await page.getByRole('button', { name: 'Verify', exact: true }).click();
  await page.getByText('Last verified restore').waitFor(within(120_000));
  await page.screenshot({ path: `${stage.shots}/proven.png` });
  step('and proven');

  await sql('DELETE FROM shop.people');
  await page.getByRole('link', { name: 'Restore', exact: true }).first().click();
  await page.getByRole('radio', { name: /^Replace the existing database/ }).check();
  await page.getByText('is replaced').waitFor();
  await page.getByRole('button', { name: 'Replace', exact: true }).click({ force: true }); // nothing happens before the name is typed
  want((await sql('SELECT COUNT(*) FROM shop.people')).trim() === '0', 'it was restored without the name');
  await page.screenshot({ path: `${stage.shots}/restore-check.png` });
  await page.getByLabel('Type shop to confirm').fill('shop');
  await page.getByRole('button', { name: 'Replace', exact: true }).click();
  await page.getByText('Restored to shop.').waitFor(within(120_000));
  want((await sql('SELECT GROUP_CONCAT(name ORDER BY id) FROM shop.people')).trim() === 'Ada,Grace', 'the rows are not back');
  step('what was deleted is back');
});
