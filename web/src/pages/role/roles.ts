import { t } from '@lingui/core/macro';
import { useMemo } from 'react';
import { included, useList } from '../../api/query';
import type { PermissionResource } from '../../api/types';

/** useRoles are the roles that members can be given: the ones that every organization has, then its own. */
export function useRoles(org: string) {
  const fixed = useList('/predefined-roles', {}, { query: { include: 'permissions' } });
  const own = useList('/orgs/{organization}/roles', { organization: org }, { query: { include: 'permissions' }, all: true });
  return useMemo(() => {
    const known = included<PermissionResource>([...(fixed.data?.pages ?? []), ...(own.data?.pages ?? [])], 'permissions');
    const all = [...fixed.rows, ...own.rows].map((r) => ({
      id: r.id,
      name: r.attributes.name,
      own: r.type === 'customRoles',
      count: r.relationships?.permissions.data?.length ?? 0,
      /** permissions are the names of what the role allows. */
      permissions: (r.relationships?.permissions.data ?? []).flatMap((p) => known.get(p.id)?.attributes.name ?? []),
    }));
    return {
      all,
      options: all.map((r) => [r.id, r.name] as const),
      name: (id?: string) => all.find((r) => r.id === id)?.name ?? (id ? t`Role ${id}` : t`Through teams only`),
      own,
    };
  }, [fixed.rows, fixed.data, own]);
}
