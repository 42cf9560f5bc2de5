// Settings of an organization that are numbers and names: each is a section with its own Save.
import { t } from '@lingui/core/macro';
import { useState } from 'react';
import { useGet, useWrite } from '../../api/query';
import { Input } from '../../kit/field';
import { Setting } from '../../kit/setting';
import { useLimits } from '../site/limit-fields';

/** digits is what of a text a field for a number keeps. */
const digits = (text: string) => text.replace(/\D/g, '');

/** Zone is the time zone that times of backups are meant in. */
export function Zone({ org }: { org: string }) {
  const path = '/orgs/{organization}/timezone';
  const params = { organization: org };
  const doc = useGet(path, params);
  const [zone, setZone] = useState<string | null>(null);
  const write = useWrite('put', path, params);
  const stored = doc.data?.data.attributes.timezone;
  const body = () => ({ timezone: (zone ?? stored ?? '').trim() });
  return (
    <Setting title={t`Time zone`} text={t`Used for backup schedules, including existing ones.`} error={doc.error} write={write} body={body}>
      {stored !== undefined && (
        <Input
          label={t`Time zone`}
          name="timezone"
          autoComplete="off"
          spellCheck={false}
          value={zone ?? stored}
          onChange={(e) => setZone(e.target.value)}
          hint={t`For example Europe/Berlin or UTC.`}
        />
      )}
    </Setting>
  );
}

/** Limit is how much each token and person may ask for. */
export function Limit({ org }: { org: string }) {
  const path = '/orgs/{organization}/rate-limit';
  const params = { organization: org };
  const doc = useGet(path, params);
  const [text, setText] = useState<string | null>(null);
  const write = useWrite('put', path, params);
  const a = doc.data?.data.attributes;
  const shown = text ?? (a?.requests_per_minute ? String(a.requests_per_minute) : '');
  const body = () => ({ requests_per_minute: shown.trim() ? Number(shown) : null });
  return (
    <Setting
      title={t`Requests per minute`}
      text={t`Applies to each token and member of this organization. A lower limit on a token takes precedence.`}
      error={doc.error}
      write={write}
      body={body}
    >
      {a && (
        <Input
          label={t`Requests per minute`}
          name="requests_per_minute"
          inputMode="numeric"
          value={shown}
          onChange={(e) => setText(digits(e.target.value))}
          className="font-mono"
          placeholder={String(a.default)}
          hint={t`From ${a.minimum} to ${a.maximum}. Leave blank for the default of ${a.default}.`}
        />
      )}
    </Setting>
  );
}

/** SiteLimits are the limits of sites that are created from now on. */
export function SiteLimits({ org }: { org: string }) {
  const path = '/orgs/{organization}';
  const params = { organization: org };
  const doc = useGet(path, params);
  const limits = useLimits('site_limits', doc.data?.data.meta?.site_limits);
  const write = useWrite('put', path, params);
  return (
    <Setting
      title={t`Limits of new sites`}
      text={t`How much of its server a site that is created without limits may use. Sites that exist keep theirs.`}
      error={doc.error}
      write={write}
      body={() => ({ site_limits: limits.asked() })}
    >
      {doc.data && limits.fields}
    </Setting>
  );
}

/** periods are what is kept for a time, with the names of the API. */
const periods = [
  ['events_days', t`Events (days)`],
  ['output_days', t`Output of events (days)`],
  ['audit_days', t`Audit log (days)`],
  ['deliveries_days', t`Webhooks and notifications (days)`],
] as const;

/** Retention is how long the history of the organization is kept. */
export function Retention({ org }: { org: string }) {
  const path = '/orgs/{organization}/retention';
  const params = { organization: org };
  const doc = useGet(path, params);
  const [texts, setTexts] = useState<Partial<Record<(typeof periods)[number][0], string>>>({});
  const write = useWrite('put', path, params);
  const a = doc.data?.data.attributes;
  const shown = (name: (typeof periods)[number][0]) => texts[name] ?? (a?.[name] ? String(a[name]) : '');
  const body = () => Object.fromEntries(periods.map(([name]) => [name, shown(name) ? Number(shown(name)) : null]));
  return (
    <Setting
      title={t`Retention`}
      text={t`Older entries are deleted every hour. A longer period does not bring them back.`}
      error={doc.error}
      write={write}
      body={body}
    >
      {a && (
        <div className="grid gap-5 sm:grid-cols-2">
          {periods.map(([name, label]) => {
            const most = a[`maximum_${name}`];
            return (
              <Input
                key={name}
                label={label}
                name={name}
                inputMode="numeric"
                value={shown(name)}
                onChange={(e) => setTexts({ ...texts, [name]: digits(e.target.value) })}
                className="font-mono"
                placeholder={most ? String(most) : t`Forever`}
                hint={most ? t`At most ${most}. Leave blank for the most.` : t`Optional. Leave blank to keep them forever.`}
              />
            );
          })}
        </div>
      )}
    </Setting>
  );
}
