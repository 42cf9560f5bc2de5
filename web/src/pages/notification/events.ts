// What people and programs are notified of, in words.
import { t } from '@lingui/core/macro';

/** told are the events of notification channels. */
export const told: [string, string][] = [
  ['deployment.failed', t`A deployment failed`],
  ['deployment.succeeded', t`A deployment succeeded`],
  ['certificate.renewal-failed', t`A certificate renewal failed`],
  ['backup.failed', t`A backup failed`],
  ['backup.unproven', t`A backup verification failed`],
  ['server.unreachable', t`A server is unreachable`],
  ['server.reachable', t`A server is reachable again`],
  ['drift.found', t`Files on a server were changed outside Hostler`],
  ['heartbeat.missing', t`A heartbeat is missing`],
  ['heartbeat.beating', t`A heartbeat recovered`],
  ['monitor.alert', t`A monitor crossed its threshold`],
  ['monitor.recovered', t`A monitor recovered`],
];

const words = new Map([...told, ['deployment.ended', t`A deployment ended`], ['test', t`Test`]]);

/** eventWord is an event in words; one that is not known here, as programs get it. */
export const eventWord = (event: string) => words.get(event) ?? event;
