import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../api/may';
import { useList, useWrite } from '../../api/query';
import { Input, Select } from '../../kit/field';
import { schemas, users } from '../database/at';
import { databaseOf, free } from './account';

/** fresh stands for a database that is created with the site. */
const fresh = 'new';

interface Props {
  org: string;
  server: string;
  domain: string;
  /** enabled is false where the server or the type of the site has no database. */
  enabled: boolean;
  /** needed is for a site that is installed into a database. */
  needed: boolean;
  made: (id: string) => void;
}

/**
 * useSiteDatabase is the choice of a new site's database and of the account that it signs in with. made is called with the id of a database that was created
 * for it.
 */
export function useSiteDatabase({ org, server, domain, enabled, needed, made }: Props) {
  const params = { organization: org, server };
  const may = useMay(`post ${schemas}`);
  const [chosen, setDatabase] = useState('');
  const database = chosen || (needed && may ? fresh : '');
  const [account, setAccount] = useState('');
  const [typed, setTyped] = useState<string | null>(null);
  const [own, setOwn] = useState<{ id: string; name: string } | null>(null);
  const rows = useList(schemas, params, { query: { sort: 'name' }, enabled, all: true }).rows;
  const accounts = useList(users, params, { query: { sort: 'name' }, enabled, all: true }).rows;
  const proposed = free(databaseOf(domain), [...rows.map((d) => d.attributes.name), ...(own ? [own.name] : [])]);
  const name = typed ?? proposed;
  const create = useWrite('post', schemas, params, (a) => {
    setOwn({ id: a.data.id, name: a.data.attributes.name });
    setDatabase(a.data.id); // if the site is refused, the next try has this one
    made(a.data.id);
  });
  const fits = accounts.filter(
    (u) =>
      !u.meta?.database_user?.all &&
      !u.meta?.database_user?.read_only &&
      !['removing', 'failed'].includes(u.attributes.status) &&
      (u.meta?.database_user?.database_ids ?? []).includes(database),
  );
  const user = fits.find((u) => u.id === account);
  const named = rows.map((d) => [d.id, d.attributes.name] as const);
  if (own && !rows.some((d) => d.id === own.id)) named.push([own.id, own.name] as const);
  return {
    enabled,
    params,
    options: [...(needed ? [] : [['', t`None`] as const]), ...(may ? [[fresh, t`New database`] as const] : []), ...named],
    database,
    setDatabase,
    name,
    setName: setTyped,
    fits,
    user,
    setAccount,
    /** account is the name of the account that is created for the site. */
    account: free(
      databaseOf(domain),
      accounts.map((u) => u.attributes.name),
    ),
    create,
    /** creates is that a database is created first. */
    creates: enabled && database === fresh,
    /** begin creates the database; made is called then. */
    begin: () => create.submit({ name: name.trim() }),
    /** body is what the request for the site says of it. id is that of a database that was created just now. */
    body: (id?: string) => {
      const one = id ?? (database === fresh ? '' : database);
      return enabled && one ? { database_id: Number(one), database_user_id: !id && user ? Number(user.id) : undefined } : {};
    },
  };
}

/** SiteDatabase asks for a new site's database, and says which account the site signs in with. */
export function SiteDatabase({ of }: { of: ReturnType<typeof useSiteDatabase> }) {
  if (!of.enabled) return null;
  const own = <span className="font-mono">{of.account || 'shop_example_com'}</span>;
  return (
    <>
      <div className="grid gap-5 sm:grid-cols-2">
        <Select
          label={t`Database`}
          name="database_id"
          value={of.database}
          onChange={(e) => of.setDatabase(e.target.value)}
          options={of.options}
          hint={t`Adds the connection settings to the site's environment.`}
        />
        {of.creates && (
          <Input
            label={t`Name of the database`}
            name="new_database"
            value={of.name}
            onChange={(e) => of.setName(e.target.value)}
            code
            hint={t`Created just before the site. A plan shows the site only.`}
          />
        )}
        {of.database && !of.creates && (
          <Select
            label={t`Database user`}
            name="database_user_id"
            value={of.user?.id ?? ''}
            onChange={(e) => of.setAccount(e.target.value)}
            options={[['', t`New user for this site`], ...of.fits.map((u) => [u.id, u.attributes.name] as const)]}
          />
        )}
      </div>
      {of.database && (
        <p className="text-sm text-muted" role="status">
          {of.user ? (
            <Trans>
              The site signs in as the existing user <span className="font-mono">{of.user.attributes.name}</span>. Hostler knows its password.
            </Trans>
          ) : (
            <Trans>
              The site signs in as a new user {own} with a password of its own, which Hostler writes to the site's environment. You need no other password.{' '}
              <Link
                to="/orgs/$org/servers/$server/databases"
                params={{ org: of.params.organization, server: of.params.server }}
                className="font-medium text-accent underline-offset-2 hover:underline"
              >
                Databases and users
              </Link>
            </Trans>
          )}
        </p>
      )}
    </>
  );
}
