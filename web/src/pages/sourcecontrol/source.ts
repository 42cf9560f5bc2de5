import { t } from '@lingui/core/macro';
import { useList } from '../../api/query';
import { gitKinds, gitProviders } from './providers';

const plain = [
  ['custom', t`Any Git server`],
  ['github', 'GitHub'],
  ['gitlab', 'GitLab'],
  ['bitbucket', 'Bitbucket'],
] as const;
const connected = 'id:';

/** useGitSources are the places that a repository can be at: providers that are connected, which know what to do by themselves, and any others. */
export function useGitSources(org: string, now = 'custom') {
  const list = useList(gitProviders, { organization: org }, { query: { sort: 'name' }, all: true });
  const own = list.rows.map(
    (p) => [connected + p.id, `${p.attributes.name} (${gitKinds.find(([k]) => k === p.attributes.provider)?.[1] ?? p.attributes.provider})`] as const,
  );
  const rest = [...own, ...plain];
  const options = rest.some(([v]) => v === now) ? rest : [...rest, [now, now] as const];
  /** asked is a choice as the API asks for it. */
  const asked = (chosen: string) => {
    const p = chosen.startsWith(connected) ? list.rows.find((r) => connected + r.id === chosen) : undefined;
    return p
      ? { source_control_provider: p.attributes.provider, source_control_provider_id: Number(p.id) }
      : { source_control_provider: (chosen.startsWith(connected) ? 'custom' : chosen) as 'custom' };
  };
  /** short is whether a repository is named like team/app there. */
  const short = (chosen: string) => asked(chosen).source_control_provider !== 'custom';
  return { options, asked, short, none: list.isSuccess && own.length === 0 };
}
export const connectedTo = (id: number) => connected + id;
