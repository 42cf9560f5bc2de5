import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useGet, useWrite } from '../../api/query';
import { Action } from '../../kit/action';
import { Input } from '../../kit/field';
import { Form } from '../../kit/form';
import { Failed, Notice, Section, Waiting } from '../../kit/page';
import { useServer } from '../server/at';

export const php = '/orgs/{organization}/servers/{server}/php';
type Begun = { begun: (event: string) => void };

/** PHPLimits are the settings that all versions of a server share. */
export function PHPLimits({ begun }: Begun) {
  const { org } = useParams({ from: '/orgs/$org/servers/$server' });
  const params = { organization: org, server: useServer().id };
  const upload = useGet(`${php}/max-upload-size`, params);
  const time = useGet(`${php}/max-execution-time`, params);
  const opcache = useGet(`${php}/opcache`, params);
  const error = upload.error ?? time.error ?? opcache.error;
  const ready = upload.data && time.data && opcache.data;
  return (
    <Section title={t`Limits`} plain text={t`Apply to all versions and sites. Requests in progress keep the previous limits.`}>
      {!ready ? (
        error ? (
          <Failed error={error} />
        ) : (
          <Waiting rows={2} />
        )
      ) : (
        <div className="panel grid gap-6 p-5 md:grid-cols-2">
          <Limit
            name="max_upload_size"
            path={`${php}/max-upload-size`}
            label={t`Maximum upload size (MB)`}
            hint={t`Also applied to nginx. Leave blank for PHP's default.`}
            stored={upload.data.data.attributes.max_upload_size}
            begun={begun}
          />
          <Limit
            name="max_execution_time"
            path={`${php}/max-execution-time`}
            label={t`Maximum execution time (s)`}
            hint={t`Longer requests are stopped. Leave blank for PHP's default.`}
            stored={time.data.data.attributes.max_execution_time}
            begun={begun}
          />
          <OPcache on={opcache.data.data.attributes.opcache_enabled} begun={begun} />
        </div>
      )}
    </Section>
  );
}

interface LimitProps extends Begun {
  name: 'max_upload_size' | 'max_execution_time';
  path: `${typeof php}/max-upload-size` | `${typeof php}/max-execution-time`;
  label: string;
  hint: string;
  stored: number | null;
}

function Limit({ name, path, label, hint, stored, begun }: LimitProps) {
  const { org } = useParams({ from: '/orgs/$org/servers/$server' });
  const server = useServer();
  const [text, setText] = useState<string>();
  const write = useWrite('put', path as `${typeof php}/max-upload-size`, { organization: org, server: server.id }, () => setText(undefined));
  useEffect(() => {
    if (write.event) begun(write.event);
  }, [write.event, begun]);
  const value = text ?? String(stored ?? '');
  const body = () => ({ [name]: value ? Number(value) : null });
  return (
    <Form write={write} submit={t`Save`} onSubmit={() => write.submit(body())} onPlan={() => write.tryOut(body())} call={() => write.call(body())}>
      <Input
        label={label}
        name={name}
        inputMode="numeric"
        autoComplete="off"
        value={value}
        onChange={(e) => setText(e.target.value.replace(/\D/g, ''))}
        hint={hint}
      />
    </Form>
  );
}

function OPcache({ on, begun }: Begun & { on: boolean }) {
  const { org } = useParams({ from: '/orgs/$org/servers/$server' });
  const server = useServer();
  const params = { organization: org, server: server.id };
  const turnOn = useWrite('post', `${php}/opcache`, params);
  const turnOff = useWrite('delete', `${php}/opcache`, params);
  const event = on ? turnOn.event : turnOff.event;
  useEffect(() => {
    if (event) begun(event);
  }, [event, begun]);
  const error = turnOn.error ?? turnOff.error;
  const shared = { plans: true };
  return (
    <div className="flex flex-wrap items-center gap-3 border-t border-line pt-5 md:col-span-2">
      <div className="min-w-0 flex-1 basis-64">
        <p className="font-medium">{on ? t`OPcache is on` : t`OPcache is off`}</p>
        <p className="text-sm text-muted">
          <Trans>Keeps compiled scripts in memory.</Trans>
        </p>
      </div>
      {on ? (
        <Action write={turnOff} {...shared}>{t`Turn off OPcache`}</Action>
      ) : (
        <Action write={turnOn} look="primary" {...shared}>{t`Turn on OPcache`}</Action>
      )}
      {error && (
        <Notice tone="bad" role="alert">
          {error.message}
        </Notice>
      )}
    </div>
  );
}
