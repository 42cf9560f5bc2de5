// What a program does with the client, against a panel that test/edge starts. It says on its output, line by line, what the test has to do or to compare.
import assert from 'node:assert/strict';

const { CLIENT, PANEL, TOKEN, SERVER, SITE } = process.env;
const { Hostler, HostlerError, WorkError } = await import(CLIENT);
const say = (what, value = '') => console.log(`${what} ${JSON.stringify(value)}`);

const hostler = new Hostler({ url: PANEL, token: async () => TOKEN, agent: 'test/1' });

const methods = {};
for (const [noun, calls] of Object.entries(hostler)) methods[noun] = Object.getOwnPropertyNames(Object.getPrototypeOf(calls));
say('METHODS', methods);

const names = ['one', 'two', 'three', 'four', 'five'];
for (const name of names) {
  const { data, status } = await hostler.recipes.create('acme', { name, script: 'uptime', user: 'root' });
  assert.equal(data.attributes.name, name);
  assert.equal(data.type, 'recipes');
  assert.ok([200, 201].includes(status));
}
const all = await hostler.recipes.list('acme').all();
let listed = 0;
for await (const page of hostler.recipes.list('acme', { 'page[size]': 2 }).pages()) {
  assert.ok(page.data.length <= 2);
  listed += page.data.length;
}
assert.equal(listed, all.length);
const changed = await hostler.recipes.update('acme', all.find((r) => r.attributes.name === 'one').id, { name: 'uno' });
assert.equal(changed.data.attributes.name, 'uno');
assert.equal(changed.data.attributes.script, 'uptime');

await assert.rejects(hostler.recipes.create('acme', { script: 'uptime', user: 'nobody' }), (e) => e instanceof HostlerError && e.status === 422 && e.has('name', 'required') && !e.has('script', 'required'));
await assert.rejects(hostler.recipes.get('acme', '99999'), (e) => e.status === 404);
for (const bad of ['', '..']) await assert.rejects(async () => hostler.servers.delete('acme', bad), TypeError);
await assert.rejects(new Hostler({ url: 'http://127.0.0.1:1', token: 'x' }).orgs.list().all(), (e) => e instanceof HostlerError && e.status === 0);

const { data: site, included } = await hostler.sites.get('acme', SITE, { include: ['server'] });
assert.equal(included.servers.find((s) => s.id === site.relationships.server.data.id).id, SERVER);

assert.ok(await hostler.firewall.planCreate('acme', SERVER, { name: 'office', port: '8443', type: 'allow' }));
for (const [name, port, end] of [['office', '8443', 'DONE'], ['other', '9443', 'FAIL']]) {
  const rule = await hostler.firewall.create('acme', SERVER, { name, port, type: 'allow' });
  assert.ok(rule.event && rule.location);
  say('SAY', rule.event);
  let said = '';
  const waiting = rule.wait((text) => {
    if (!said) say(end, rule.data.id); // while the work goes on
    said += text;
  });
  if (end === 'DONE') await waiting;
  else await assert.rejects(waiting, (e) => e instanceof WorkError && e.state === 'failed' && e.code !== '' && e.event === rule.event);
  assert.match(said, /opening\n/);
}

const stop = new AbortController();
const { event } = await hostler.firewall.create('acme', SERVER, { name: 'heard', port: '7443', type: 'allow' });
const again = setInterval(() => say('SAY', event), 100);
for await (const { id, event: kind, data } of hostler.events.stream('acme', { signal: stop.signal })) {
  assert.ok(id);
  assert.equal(kind, 'output');
  assert.match(data.content, /opening/);
  clearInterval(again);
  break;
}
const waits = hostler.wait('acme', event, undefined, { signal: stop.signal });
stop.abort();
await assert.rejects(waits, (e) => e.name === 'AbortError');
say('END');
