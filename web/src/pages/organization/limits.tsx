import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { useGet, useWrite } from '../../api/query';
import { Input } from '../../kit/field';
import { Form } from '../../kit/form';
import { Failed, Section, Waiting } from '../../kit/page';

const saidSaved = (
  <span role="status" className="text-accent">
    <Trans>Saved</Trans>
  </span>
);

/** Zone is the time zone that times of backups are meant in. */
export function Zone({ org }: { org: string }) {
  const path = '/orgs/{organization}/timezone';
  const params = { organization: org };
  const doc = useGet(path, params);
  const [zone, setZone] = useState<string | null>(null);
  const [saved, setSaved] = useState(false);
  const write = useWrite('put', path, params, () => setSaved(true));
  const stored = doc.data?.data.attributes.timezone;
  const body = () => ({ timezone: (zone ?? stored ?? '').trim() });
  return (
    <Section title={t`Time zone`} text={t`Used for backup schedules, including existing ones.`}>
      {stored === undefined ? (
        doc.error ? (
          <Failed error={doc.error} />
        ) : (
          <Waiting rows={1} />
        )
      ) : (
        <Form
          write={write}
          submit={t`Save`}
          onSubmit={() => {
            setSaved(false);
            write.submit(body());
          }}
          call={() => write.call(body())}
          extra={saved && !write.pending && !write.error && saidSaved}
        >
          <Input
            label={t`Time zone`}
            name="timezone"
            autoComplete="off"
            spellCheck={false}
            value={zone ?? stored}
            onChange={(e) => setZone(e.target.value)}
            hint={t`For example Europe/Berlin or UTC.`}
          />
        </Form>
      )}
    </Section>
  );
}

/** Limit is how much each token and person may ask for. */
export function Limit({ org }: { org: string }) {
  const path = '/orgs/{organization}/rate-limit';
  const params = { organization: org };
  const doc = useGet(path, params);
  const [text, setText] = useState<string | null>(null);
  const [saved, setSaved] = useState(false);
  const write = useWrite('put', path, params, () => setSaved(true));
  const a = doc.data?.data.attributes;
  const shown = text ?? (a?.requests_per_minute ? String(a.requests_per_minute) : '');
  const body = () => ({ requests_per_minute: shown.trim() ? Number(shown) : null });
  return (
    <Section title={t`Requests per minute`} text={t`Applies to each token and member of this organization. A lower limit on a token takes precedence.`}>
      {!a ? (
        doc.error ? (
          <Failed error={doc.error} />
        ) : (
          <Waiting rows={1} />
        )
      ) : (
        <Form
          write={write}
          submit={t`Save`}
          onSubmit={() => {
            setSaved(false);
            write.submit(body());
          }}
          call={() => write.call(body())}
          extra={saved && !write.pending && !write.error && saidSaved}
        >
          <Input
            label={t`Requests per minute`}
            name="requests_per_minute"
            inputMode="numeric"
            value={shown}
            onChange={(e) => setText(e.target.value.replace(/\D/g, ''))}
            className="font-mono"
            placeholder={String(a.default)}
            hint={t`From ${a.minimum} to ${a.maximum}. Leave blank for the default of ${a.default}.`}
          />
        </Form>
      )}
    </Section>
  );
}
