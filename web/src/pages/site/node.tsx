import { t } from '@lingui/core/macro';
import { Input, Select } from '../../kit/field';
import presets from './presets.json';

const lines = ['26', '24', '22', '20'];
/** versioned are the runtimes that have a version in a field of its own: a choice of one is "bun 1.3.2". */
const versioned = { bun: t`Bun`, deno: t`Deno`, go: t`Go, a version` };
const versionOf = { bun: t`Version of Bun`, deno: t`Version of Deno`, go: t`Version of Go` };
const examples = { bun: '1.3.2', deno: '2', go: '1.25' };
const languages = { python: t`Python, as the server's system has it`, ruby: t`Ruby, as the server's system has it`, go: t`Go, as the server's system has it` };

interface Props {
  value: string;
  /** now is what the site has, which may be an exact version of Node, or of another: "bun 1.3.2". */
  now?: string;
  /** beside is for a site that is not run by it: PHP runs the site, or nothing does. */
  beside?: boolean;
  onChange: (to: string) => void;
}

/** RuntimeField is the choice of what runs a site's programs. */
export function RuntimeField({ value, now = 'system', beside, onChange }: Props) {
  const versions = now === 'system' || now in languages || own(now) || lines.includes(now) ? lines : [now, ...lines];
  const is = own(value);
  return (
    <>
      <Select
        label={beside ? t`Runtime for builds and commands` : t`Runtime`}
        name="runtime"
        value={is ? is + ' ' : value}
        onChange={(e) => onChange(e.target.value === 'deno ' ? 'deno 2' : e.target.value)}
        options={[
          ['system', t`Node.js, as the server's system has it`] as const,
          ...versions.map((v) => [v, t`Node.js ${v}`] as const),
          ...Object.entries(versioned).map(([name, title]) => [name + ' ', title] as const),
          ...Object.entries(languages),
        ]}
        hint={
          beside
            ? t`For the site's processes, jobs, commands and deploy script. Visitors' requests don't use it.`
            : t`Runs the site's programs, processes, jobs, commands and deploy scripts. A version such as Node.js 24 is its newest release today.`
        }
      />
      {is && (
        <Input
          label={versionOf[is]}
          name="runtime_version"
          value={value.slice(is.length + 1)}
          required
          onChange={(e) => onChange(is + ' ' + e.target.value.trim())}
          placeholder={examples[is]}
          className="font-mono"
        />
      )}
    </>
  );
}

/** own returns the runtime of a choice that has its version in a field of its own. */
function own(value: string) {
  const [name, version] = value.split(' ', 2);
  return version !== undefined && name! in versioned ? (name as keyof typeof versioned) : undefined;
}

/** runtimeOf returns the choice that a site has. */
export function runtimeOf(has: { name: string; wanted: string | null } | undefined) {
  if (has?.wanted && has.name in versioned) return has.name + ' ' + has.wanted;
  return has?.wanted ?? has?.name ?? 'system';
}

/** runtimeBody is what a request says of a choice. */
export function runtimeBody(value: string) {
  const is = own(value);
  if (is) return { runtime: is, runtime_version: value.slice(is.length + 1) };
  if (value in languages) return { runtime: value as keyof typeof languages };
  return value === 'system' ? { runtime: 'system' as const } : { runtime: 'node' as const, runtime_version: value };
}

/** PresetField fills in what the usual application of a framework runs with. It is only a proposal: each field stays as it is changed afterwards. */
export function PresetField({ value, onChange }: { value: string; onChange: (name: string, fits: { runtime: string; start: string; node: boolean }) => void }) {
  const choose = (name: string) => {
    const p = presets.find((p) => p.name === name);
    onChange(name, {
      runtime: p ? runtimeOf({ name: p.runtime, wanted: p.version ?? null }) : 'system',
      start: p?.start_command ?? '',
      node: p?.runtime === 'node',
    });
  };
  return (
    <Select
      label={t`Framework`}
      name="preset"
      value={value}
      onChange={(e) => choose(e.target.value)}
      options={[['', t`Another`] as const, ...presets.map((p) => [p.name, p.name] as const)]}
      hint={t`Fills in the runtime and the start command below. The check of the repository says later whether they fit.`}
    />
  );
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
