// The filters of a list: they are in its address, and can be saved under a name.
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Bookmark, ListFilter, X } from 'lucide-react';
import { Fragment, type ReactNode, useState } from 'react';
import { Button } from './button';
import { Dialog } from './dialog';
import { Input } from './field';
import { Filter } from './table';
import { readViews, same, saved, type Values, type View, writeViews } from './views';

/** useFilters is what the address of a list filters by. */
export function useFilters<N extends string>(names: readonly N[]) {
  const search = useSearch({ strict: false }) as Record<string, unknown>;
  const navigate = useNavigate();
  const values = Object.fromEntries(names.map((n) => [n, String(search[n] ?? '')])) as Record<N, string>;
  const change = (next: Values) => {
    const kept = Object.fromEntries(Object.entries(next).filter(([, v]) => v));
    void navigate({ to: '.', search: kept as never, replace: true, resetScroll: false });
  };
  return { values, change, any: Object.values(values).some(Boolean) };
}

export interface Pick {
  name: string;
  label: string;
  options: readonly (readonly [string, string])[];
  /** find narrows the options to those with a text in their names, where there are too many for a menu. */
  find?: (text: string) => void;
}

/** choices are the options of a menu with the chosen one, which may not be among those that were found. */
export function choices(any: string, found: readonly (readonly [string, string])[], chosen: string, name: string): readonly (readonly [string, string])[] {
  const more = chosen && !found.some(([id]) => id === chosen) ? [[chosen, name] as const] : [];
  return [['', any], ...more, ...found];
}

/** Filters is a field for the name, and a menu for each of what else a list is filtered or sorted by, which on a phone a button shows: the list comes first. */
export function Filters({
  list,
  label,
  of,
  picks,
  after,
  rows,
}: {
  list: string;
  /** label is that of the field for the name, which is left out without it. */
  label?: string;
  of: { values: Values; change: (v: Values) => void };
  picks: readonly Pick[];
  after?: ReactNode;
  /** rows is how many the list has now: of a single one there is nothing to filter. */
  rows: number;
}) {
  const [views, setViews] = useState(() => readViews(list));
  const [saving, setSaving] = useState(false);
  const [open, setOpen] = useState(false);
  const chosen = picks.filter((p) => of.values[p.name]).length;
  const any = Object.values(of.values).some(Boolean);
  const known = views.some((v) => same(v.values, of.values));
  const [shown, setShown] = useState(false);
  if (!shown && (rows > 1 || any || views.length > 0)) setShown(true); // and stays, whatever is typed there finds
  const keep = (next: View[]) => {
    setViews(next);
    writeViews(list, next);
  };
  if (!shown) return null;
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-center gap-2">
        {label && (
          <div className="min-w-40 flex-1 lg:max-w-xs">
            <Filter label={label} value={of.values.name ?? ''} onChange={(name) => of.change({ ...of.values, name })} />
          </div>
        )}
        {picks.length > 0 && (
          <Button icon={ListFilter} className="md:hidden" aria-expanded={open} onClick={() => setOpen(!open)}>
            {chosen > 0 ? t`Filters (${chosen})` : t`Filters`}
          </Button>
        )}
        <div className={open ? 'contents' : 'contents max-md:hidden'}>
          {picks.map((p) => (
            <Fragment key={p.name}>
              {p.find && (
                <div className="w-40 max-lg:flex-1">
                  <Filter label={t`Find: ${p.label}`} onChange={p.find} />
                </div>
              )}
              <select
                aria-label={p.label}
                className={`control w-auto! max-w-64 pr-8 max-lg:min-w-40 max-lg:flex-1 ${of.values[p.name] ? 'border-accent' : ''}`}
                value={of.values[p.name] ?? ''}
                onChange={(e) => of.change({ ...of.values, [p.name]: e.target.value })}
              >
                {p.options.map(([value, text]) => (
                  <option key={value} value={value}>
                    {text}
                  </option>
                ))}
              </select>
            </Fragment>
          ))}
        </div>
        {any && (
          <Button look="quiet" icon={X} onClick={() => of.change({})}>
            <Trans>Clear filters</Trans>
          </Button>
        )}
        {any && !known && (
          <Button look="quiet" icon={Bookmark} onClick={() => setSaving(true)}>
            <Trans>Save filter</Trans>
          </Button>
        )}
        {after}
      </div>
      {views.length > 0 && (
        <ul aria-label={t`Saved filters`} className="flex flex-wrap gap-2">
          {views.map((v) => (
            <li
              key={v.name}
              className={`inline-flex items-center rounded-full border text-sm ${same(v.values, of.values) ? 'border-accent bg-soft' : 'border-line'}`}
            >
              <button
                type="button"
                aria-pressed={same(v.values, of.values)}
                onClick={() => of.change(same(v.values, of.values) ? {} : v.values)}
                className="max-w-48 truncate rounded-full py-1 pl-3 hover:underline max-md:py-2.5"
              >
                {v.name}
              </button>
              <button
                type="button"
                title={t`Delete the filter ${v.name}`}
                onClick={() => keep(views.filter((o) => o.name !== v.name))}
                className="grid size-7 place-items-center rounded-full text-muted hover:bg-hover hover:text-text max-md:size-11"
              >
                <X className="size-3.5" aria-hidden />
                <span className="sr-only">
                  <Trans>Delete the filter {v.name}</Trans>
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {saving && (
        <Save
          onClose={() => setSaving(false)}
          onSave={(name) => {
            keep(saved(views, { name, values: of.values }));
            setSaving(false);
          }}
        />
      )}
    </div>
  );
}

function Save({ onClose, onSave }: { onClose: () => void; onSave: (name: string) => void }) {
  const [name, setName] = useState('');
  return (
    <Dialog open onClose={onClose} title={t`Save filter`} text={t`Saved in this browser, for you only.`}>
      <form
        className="grid gap-5"
        onSubmit={(e) => {
          e.preventDefault();
          if (name.trim()) onSave(name.trim());
        }}
      >
        <Input
          label={t`Name`}
          name="name"
          autoFocus
          autoComplete="off"
          maxLength={40}
          value={name}
          onChange={(e) => setName(e.target.value)}
          placeholder={t`Production`}
        />
        <div>
          <Button type="submit" look="primary" disabled={!name.trim()} why={t`Enter a name.`}>
            <Trans>Save filter</Trans>
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
