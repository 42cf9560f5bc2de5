import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { useWrite } from '../../api/query';
import { Input } from '../../kit/field';
import { Form } from '../../kit/form';
import { Section } from '../../kit/page';
import { useAt } from './at';

const fields = [
  ['memory_high', t`Memory, slowed down above`, t`MB`],
  ['memory_max', t`Memory, at most`, t`MB`],
  ['cpu_quota', t`Processor, at most`, t`Percent of one processor: 200 are two.`],
  ['cpu_weight', t`Share of the processor`, t`Others have 100.`],
  ['tasks_max', t`Processes and threads`, ''],
  ['io_weight', t`Share of the disk`, t`Others have 100.`],
  ['open_files', t`Open files of each process`, ''],
] as const;
const path = '/orgs/{organization}/servers/{server}/sites/{site}';
type Name = (typeof fields)[number][0];

/** Limits is how much of its server all that runs for a site may use. */
export function Limits() {
  const { site, params } = useAt();
  const had = site.meta?.limits;
  const [values, setValues] = useState(() => Object.fromEntries(fields.map(([name]) => [name, String(had?.[name] ?? '')])) as Record<Name, string>);
  const [saved, setSaved] = useState(false);
  const write = useWrite('put', path, params, () => setSaved(true));
  const body = () => ({ limits: Object.fromEntries(fields.flatMap(([name]) => (values[name] ? [[name, Number(values[name])]] : []))) });
  return (
    <Section
      title={t`Limits`}
      text={t`How much of the server all that runs for the site may use; deployments may use as much once more. Empty fields are no limit. The first limits start PHP and the program beside those that run, and restart background processes.`}
    >
      <Form
        write={write}
        submit={t`Save limits`}
        does={[write.operation, `put ${path} limits`]}
        onSubmit={() => {
          setSaved(false);
          write.submit(body());
        }}
        onPlan={() => write.tryOut(body())}
        call={() => write.call(body())}
        extra={
          saved &&
          !write.pending &&
          !write.error && (
            <span role="status" className="text-accent">
              <Trans>Saved</Trans>
            </span>
          )
        }
      >
        <div className="grid gap-4 sm:grid-cols-2">
          {fields.map(([name, label, hint]) => (
            <Input
              key={name}
              label={label}
              name={`limits.${name}`}
              inputMode="numeric"
              value={values[name]}
              onChange={(e) => setValues({ ...values, [name]: e.target.value.replace(/\D/g, '') })}
              hint={hint || undefined}
            />
          ))}
        </div>
      </Form>
    </Section>
  );
}
