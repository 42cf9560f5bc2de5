import { t } from '@lingui/core/macro';
import { Select } from '../../kit/field';

const lines = ['26', '24', '22', '20'];

/** NodeVersion is the choice of what runs a site's programs. now is what the site has, which may be an exact version. */
export function NodeVersion({ value, now = 'system', onChange }: { value: string; now?: string; onChange: (to: string) => void }) {
  const versions = now === 'system' || lines.includes(now) ? lines : [now, ...lines];
  return (
    <Select
      label={t`Node`}
      name="runtime_version"
      value={value}
      onChange={(e) => onChange(e.target.value)}
      options={[['system', t`The distribution's`] as const, ...versions.map((v) => [v, v] as const)]}
      hint={t`Runs the site's programs, processes, jobs, commands and deploy scripts. A release line is its newest release now.`}
    />
  );
}

/** nodeBody is what a request says of a choice. */
export function nodeBody(value: string) {
  return value === 'system' ? { runtime: 'system' as const } : { runtime: 'node' as const, runtime_version: value };
}
