import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { type LucideIcon, Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Does } from '../api/permissions';
import { Button } from './button';
import { useDeed } from './deed';
import { Empty, Failed, Section, Waiting } from './page';
import { Pill, Time } from './state';
import { type Column, Table } from './table';

interface Connected {
  id: string;
  attributes: { name: string; in_use: boolean };
}

/** added is the column of when one was connected. */
export const added: Column<{ attributes: { created_at: string | null } }> = {
  name: t`Added`,
  width: '8rem',
  minor: true,
  cell: (c) => (
    <span className="text-muted">
      <Time at={c.attributes.created_at} ago />
    </span>
  ),
};

interface Props<T extends Connected> {
  title: string;
  text: string;
  /** add is the button that connects another. */
  add: string;
  /** does is what connecting, changing and deleting one call. */
  does: { add: Does; edit: Does; remove: Does };
  list: { rows: T[]; data?: unknown; error: Error | null; isPending: boolean; refetch: () => unknown; more: (() => void) | undefined };
  empty: { icon: LucideIcon; title: string; text: string };
  columns: Column<T>[];
  /** used says why one that is in use can't be deleted. */
  used: string;
  edit: (row: T | null, close: () => void) => ReactNode;
  remove: (row: T, close: () => void) => ReactNode;
}

/** Connections are accounts at other services: what opens them goes in and never comes out, and those in use can't be deleted. */
export function Connections<T extends Connected>({ title, text, add, does, list, empty, columns, used, edit, remove }: Props<T>) {
  const [editing, setEditing] = useState<T | 'new' | null>(null);
  useDeed('add', () => setEditing('new'));
  const [removing, setRemoving] = useState<T | null>(null);
  const button = (
    <Button look="primary" icon={Plus} does={does.add} onClick={() => setEditing('new')}>
      {add}
    </Button>
  );
  return (
    <Section title={title} plain text={text} actions={list.rows.length > 0 ? button : undefined}>
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : list.rows.length === 0 ? (
        <Empty {...empty} action={button} />
      ) : (
        <Table
          label={title}
          rows={list.rows}
          more={list.more}
          id={(row) => row.id}
          columns={[
            {
              name: t`Name`,
              width: 'minmax(0,2fr)',
              cell: ({ attributes: a }) => (
                <span className="flex min-w-0 items-center gap-2">
                  <span className="truncate font-medium">{a.name}</span>
                  {a.in_use && (
                    <Pill tone="good">
                      <Trans>In use</Trans>
                    </Pill>
                  )}
                </span>
              ),
            },
            ...columns,
            {
              name: t`Edit`,
              width: '11rem',
              end: true,
              cell: (row) => (
                <span className="flex gap-1">
                  <Button look="quiet" does={does.edit} onClick={() => setEditing(row)} aria-label={t`Edit ${row.attributes.name}`}>
                    <Trans>Edit</Trans>
                  </Button>
                  <Button
                    look="quiet"
                    does={does.remove}
                    disabled={row.attributes.in_use}
                    why={used}
                    onClick={() => setRemoving(row)}
                    aria-label={t`Delete ${row.attributes.name}`}
                  >
                    <Trans>Delete</Trans>
                  </Button>
                </span>
              ),
            },
          ]}
        />
      )}
      {editing && edit(editing === 'new' ? null : editing, () => setEditing(null))}
      {removing && remove(removing, () => setRemoving(null))}
    </Section>
  );
}
