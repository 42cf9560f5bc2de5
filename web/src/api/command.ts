// A call as a line for our command line. The commands are read when the first is asked for.
import type { Call } from './query';

/** Command is a command as commands.json has it, which is made with the command line: internal/cli/dashboard.go. */
interface Command {
  method: string;
  path: string;
  words?: string;
  action?: string;
  arguments?: string[];
  flags?: Record<string, string>;
  secrets?: string[];
  files?: string[];
  file?: string;
}

/** signIn and serve are commands that call no operation. */
export const signIn = (panel: string) => `hostler login ${panel}`;
export const serve = 'hostler serve';

/** shell quotes a word for a POSIX shell. */
export const shell = (s: string) => (/^[\w.:/@%+=,-]+$/.test(s) ? s : `'${s.replaceAll("'", `'\\''`)}'`);

/** hasCommand reports whether a token can make this request: a person's own account can be changed only in the dashboard. */
export const hasCommand = (url: string) => !/^\/api\/(auth|user)\b/.test(url);

/** commandLine returns a request as a hostler command, or as `hostler api` if its command is written by hand and does more than one request. */
export async function commandLine(call: Call): Promise<string> {
  const { default: commands } = (await import('./commands.json')) as unknown as { default: Command[] };
  return written(call, commands);
}

/** written is commandLine with these commands. */
export function written(call: Call, commands: Command[]): string {
  const [path = '', query = ''] = call.url.replace(/^\/api/, '').split('?');
  const form = call.body instanceof FormData ? call.body : undefined;
  const body = form ? Object.fromEntries([...form].filter(([, v]) => typeof v === 'string')) : flat((call.body ?? {}) as Record<string, unknown>);
  for (const c of commands) {
    const of = c.method === call.method && (c.action === undefined || c.action === body.action) ? parameters(c.path, path) : null;
    if (!of) continue;
    if (!c.words) {
      for (const name of c.secrets ?? []) if (body[name]) body[name] = 'SECRET';
      break;
    }
    const words = ['hostler', c.words];
    for (const name of c.arguments ?? []) words.push(shell(of[name] ?? text(body[name])));
    if (c.file) words.push(shell(fileName(form, c.file)));
    for (const [name, value] of [...new URLSearchParams(query), ...Object.entries(body)]) {
      const flag = c.flags?.[name];
      if (!flag || value === undefined) continue;
      if (c.secrets?.includes(name)) words.push(`--${flag}-stdin`);
      else if (c.files?.includes(name)) words.push(`--${flag}-file FILE`);
      else if (value === true || value === 'true') words.push(`--${flag}`);
      else if (value === false) words.push(`--${flag}=false`);
      else words.push(`--${flag} ${shell(text(value))}`);
    }
    return words.join(' ');
  }
  const fields = Object.entries(body).map(([name, value]) => ` --field ${shell(`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)}`);
  return `hostler api ${call.method.toUpperCase()} ${shell(path.replace(/^\/orgs\/[^/]+/, '/orgs/{org}') + (query && `?${query}`))}${fields.join('')}`;
}

/** parameters are those of a path that has the form of a template, null if it has not. */
function parameters(template: string, path: string): Record<string, string> | null {
  const names = template.split('/');
  const parts = path.split('/');
  if (names.length !== parts.length) return null;
  const out: Record<string, string> = {};
  for (const [i, name] of names.entries()) {
    if (name.startsWith('{')) out[name.slice(1, -1)] = decodeURIComponent(parts[i]!);
    else if (name !== parts[i]) return null;
  }
  return out;
}

/** flat is a body with the members of objects in it by their paths, as flags have them. */
function flat(body: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) =>
      value && typeof value === 'object' && !Array.isArray(value) ? Object.entries(value).map(([inner, v]) => [`${name}.${inner}`, v]) : [[name, value]],
    ),
  );
}

/** text is a value as a flag has it: lists of words with commas, what is deeper as JSON. */
function text(value: unknown): string {
  if (Array.isArray(value) && value.every((v) => typeof v !== 'object')) return value.join(',');
  return value && typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function fileName(form: FormData | undefined, field: string): string {
  const file = form?.get(field);
  return file instanceof File ? file.name : 'FILE';
}
