// A site's life by the client for TypeScript.
import { Hostler } from './client/index.js';

declare const process: { env: Record<string, string | undefined> };
const settings = JSON.parse(process.env.LIFE!) as Record<'url' | 'token' | 'moment' | 'ip' | 'repository' | 'endpoint' | 'bucket' | 'access' | 'secret', string> & { port: number };
const hostler = new Hostler({ url: settings.url, token: async () => settings.token, agent: 'life/1' });
const org = 'acme';
const name = 'life.example.com';

async function reach(moment: string, said = ''): Promise<void> {
  const answer = await fetch(`${settings.moment}/${moment}`, { method: 'POST', body: said });
  if (!answer.ok) throw new Error(await answer.text());
}

const { data: server } = await hostler.servers.create(org, {
  name: 'life', provider: 'custom', type: 'app', php_version: 'php82', database_type: 'mariadb1011', custom: { ip_address: settings.ip, ssh_port: settings.port },
});
await reach('connect', server.meta?.bootstrap?.command);
const { data: storage } = await hostler.storage.create(org, {
  name: 'Archive', provider: 'custom', endpoint: settings.endpoint, bucket: settings.bucket, access_key: settings.access, secret_key: settings.secret,
});
const site = await hostler.sites.create(org, server.id, {
  type: 'php', name, source_control_provider: 'custom', repository: settings.repository, branch: 'main',
});
await site.wait();
await reach('installed', (await hostler.deployKey.get(org, server.id, site.data.id)).data.attributes.key ?? '');
const database = await hostler.databases.create(org, server.id, { name: 'shop', user: 'shop' });
await database.wait();
const first = await hostler.deployments.create(org, server.id, site.data.id);
await first.wait();
await reach('deployed');

const domain = (await hostler.domains.list(org, server.id, site.data.id).all())[0]!;
const certificate = await hostler.certificates.create(org, server.id, site.data.id, domain.id, {
  type: 'letsencrypt', letsencrypt: { verification_method: 'http-01', key_type: 'ecdsa' },
});
await certificate.wait();
const worker = await hostler.processes.create(org, server.id, {
  name: 'Worker', command: 'sleep infinity', user: 'forge', processes: 1, site_id: Number(site.data.id),
});
await worker.wait();
const job = await hostler.siteScheduledJobs.create(org, server.id, site.data.id, { name: 'Report', command: 'echo the job ran', user: 'forge', frequency: 'nightly' });
await job.wait();
const backups = await hostler.backupConfigurations.create(org, server.id, {
  storage_provider_id: Number(storage.id), database_ids: [Number(database.data.id)], include_new_databases: true, frequency: 'daily', time: '03:00', retention: 7,
});
await backups.wait();
const backup = await hostler.backups.run(org, server.id, backups.data.id);
await backup.wait();
await reach('lost');
await (await hostler.backupRuns.restore(org, server.id, backups.data.id, backup.data.id, { database_id: Number(database.data.id) })).wait();
await reach('restored');
await (await hostler.deployments.create(org, server.id, site.data.id)).wait();
await reach('newer');
await (await hostler.deployments.rollback(org, server.id, site.data.id, first.data.id)).wait();
await reach('made');

await (await hostler.backupConfigurations.delete(org, server.id, backups.data.id)).wait();
await (await hostler.siteScheduledJobs.delete(org, server.id, site.data.id, job.data.id)).wait();
await (await hostler.processes.delete(org, server.id, worker.data.id)).wait();
await (await hostler.certificates.delete(org, server.id, site.data.id, domain.id, certificate.data.id)).wait();
await (await hostler.sites.delete(org, server.id, site.data.id)).wait();
await (await hostler.databases.delete(org, server.id, database.data.id)).wait();
for (const user of await hostler.databaseUsers.list(org, server.id).all()) {
  if (user.attributes.name === 'shop') await (await hostler.databaseUsers.delete(org, server.id, user.id)).wait();
}
await hostler.storage.delete(org, storage.id);
await (await hostler.servers.delete(org, server.id)).wait();
await reach('gone');
