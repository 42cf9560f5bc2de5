import { t } from '@lingui/core/macro';
import { Input, Select } from '../../kit/field';

const lines = ['26', '24', '22', '20'];
const languages = { python: t`Python of the distribution`, ruby: t`Ruby of the distribution`, go: t`Go of the distribution` };

/** RuntimeField is the choice of what runs a site's programs. now is what the site has, which may be an exact version of Node. */
export function RuntimeField({ value, now = 'system', onChange }: { value: string; now?: string; onChange: (to: string) => void }) {
  const versions = now === 'system' || now in languages || lines.includes(now) ? lines : [now, ...lines];
  return (
    <Select
      label={t`Runtime`}
      name="runtime"
      value={value}
      onChange={(e) => onChange(e.target.value)}
      options={[['system', t`Node of the distribution`] as const, ...versions.map((v) => [v, t`Node ${v}`] as const), ...Object.entries(languages)]}
      hint={t`Runs the site's programs, processes, jobs, commands and deploy scripts. A release line of Node is its newest release now.`}
    />
  );
}

/** runtimeBody is what a request says of a choice. */
export function runtimeBody(value: string) {
  if (value in languages) return { runtime: value as keyof typeof languages };
  return value === 'system' ? { runtime: 'system' as const } : { runtime: 'node' as const, runtime_version: value };
}

/** StartCommand is the line that starts a site's own program. */
export function StartCommand({ value, required, onChange }: { value: string; required?: boolean; onChange: (to: string) => void }) {
  return (
    <Input
      label={t`Start command`}
      name="start_command"
      value={value}
      required={required}
      onChange={(e) => onChange(e.target.value)}
      placeholder=".venv/bin/gunicorn --bind 127.0.0.1:$PORT app.wsgi"
      code
      hint={t`Runs in the directory of the release, as the site's user. The program listens on port $PORT of 127.0.0.1.`}
    />
  );
}
