import { permission } from '../../kit/words';
import { inGroups, unused } from './permissions';

/** InWords are permissions in words, in groups by what they are about. */
export function InWords({ title, names, muted }: { title: string; names: string[]; muted?: boolean }) {
  return (
    <section aria-label={title} className="grid gap-3">
      <h3 className="text-lg font-semibold">{title}</h3>
      {inGroups(names)
        .filter((g) => g.title !== unused)
        .map((g) => (
          <div key={g.title}>
            <h4 className="font-medium">{g.title}</h4>
            <ul className={`grid gap-x-6 sm:grid-cols-2 ${muted ? 'text-muted' : ''}`}>
              {g.names.map((n) => (
                <li key={n} title={n}>
                  {permission(n)}
                </li>
              ))}
            </ul>
          </div>
        ))}
    </section>
  );
}
