// What is ordered at a provider: where, how large, and what that costs.
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useEffect } from 'react';
import { useGet, useList } from '../../api/query';
import type { Credential, OfferedSize } from '../../api/types';
import { Check, Input, Select } from '../../kit/field';
import { date } from '../../kit/numbers';
import { Notice } from '../../kit/page';

export interface Order {
  region: string;
  size: string;
  network: string;
  disk: string;
  backups: boolean;
  ubuntu: '24.04' | '26.04';
}
export const noOrder: Order = { region: '', size: '', network: '', disk: '', backups: false, ubuntu: '24.04' };

/** place is the part of the request that is named as the provider, in the words of each. */
export function place(provider: string, o: Order) {
  const at = { region_id: o.region, size_id: o.size };
  switch (provider) {
    case 'aws':
      return { aws: { ...at, vpc_uuid: o.network || undefined, disk_size: Number(o.disk) || undefined } };
    case 'ocean2':
      return { ocean2: { ...at, vpc_uuid: o.network || undefined, enable_weekly_backups: o.backups || undefined } };
    case 'hetzner':
      return { hetzner: { ...at, network_id: Number(o.network) || undefined, enable_daily_backups: o.backups || undefined } };
    case 'vultr':
      return { vultr: { ...at, network_id: o.network || undefined } };
    default:
      return { akamai: at };
  }
}

/** costs is the price of a size in words. */
const costs = (s: OfferedSize) => (s.attributes.price_monthly ? t`${s.attributes.price_monthly} ${s.attributes.currency!} per month` : t`price unavailable`);

/** OrderFields asks the account's provider what it has, and shows prices before anything is ordered. */
export function OrderFields({ org, account, order, onChange }: { org: string; account: Credential; order: Order; onChange: (o: Order) => void }) {
  const provider = account.attributes.provider;
  const set = (part: Partial<Order>) => onChange({ ...order, ...part });
  const providers = useGet('/providers');
  const one = providers.data?.data.find((p) => p.attributes.slug === provider);
  const regions = useList('/providers/{provider}/regions', { provider: one?.id ?? '' }, { all: true, enabled: !!one });
  const usual = one?.attributes.default_region_code;
  const listed = regions.rows[0]?.meta?.snapshot?.as_of;
  useEffect(() => {
    if (!order.region && regions.rows.length) onChange({ ...order, region: regions.rows.find((r) => r.attributes.code === usual)?.attributes.code ?? '' });
  }, [order, onChange, regions.rows, usual]);
  const at = { organization: org, credential: account.id, region: order.region };
  const asked = { enabled: !!order.region, quiet: true };
  const sizes = useGet('/orgs/{organization}/server-credentials/{credential}/regions/{region}/sizes', at, asked);
  const networks = useGet('/orgs/{organization}/server-credentials/{credential}/regions/{region}/vpcs', at, {
    ...asked,
    enabled: !!order.region && provider !== 'akamai',
  });
  const offered = (sizes.data?.data ?? []).filter((s) => s.attributes.cpus || s.id === order.size);
  const chosen = offered.find((s) => s.id === order.size);
  const field = (name: string) => `${provider}.${name}`;
  return (
    <>
      <div className="grid gap-5 sm:grid-cols-2">
        <Select
          label={t`Region`}
          name={field('region_id')}
          value={order.region}
          hint={listed && t`From Hostler's list of ${date(listed)}. The provider may have changed its regions since.`}
          onChange={(e) => onChange({ ...order, region: e.target.value, size: '', network: '' })}
          options={[['', t`Select a region`], ...regions.rows.map((r) => [r.attributes.code, `${r.attributes.name} (${r.attributes.code})`] as const)]}
        />
        <Select
          label="Ubuntu"
          name="ubuntu_version"
          value={order.ubuntu}
          onChange={(e) => set({ ubuntu: e.target.value as Order['ubuntu'] })}
          options={[
            ['24.04', '24.04 LTS'],
            ['26.04', '26.04 LTS'],
          ]}
        />
      </div>
      <Select
        label={t`Size`}
        name={field('size_id')}
        value={order.size}
        onChange={(e) => set({ size: e.target.value })}
        disabled={!sizes.data}
        options={[
          ['', !order.region ? t`Select a region first` : sizes.isLoading ? t`Loading sizes…` : t`Select a size`],
          ...offered.map((s) => [s.id, `${s.attributes.name}, ${costs(s)}`] as const),
        ]}
      />
      {(sizes.error ?? networks.error) && (
        <Notice tone="bad" role="alert">
          {(sizes.error ?? networks.error)!.message}
        </Notice>
      )}
      {provider !== 'akamai' && (
        <Select
          label={t`Private network`}
          name={field(provider === 'aws' || provider === 'ocean2' ? 'vpc_uuid' : 'network_id')}
          value={order.network}
          onChange={(e) => set({ network: e.target.value })}
          disabled={!networks.data}
          options={[
            ['', t`The provider's default`],
            ...(networks.data?.data ?? []).map(
              (n) => [n.id, [n.attributes.name || n.id, n.attributes.cidrBlock && `(${n.attributes.cidrBlock})`].filter(Boolean).join(' ')] as const,
            ),
          ]}
        />
      )}
      {provider === 'aws' && (
        <Input
          label={t`Disk (GB)`}
          name="aws.disk_size"
          inputMode="numeric"
          placeholder="20"
          value={order.disk}
          onChange={(e) => set({ disk: e.target.value })}
        />
      )}
      {(provider === 'hetzner' || provider === 'ocean2') && (
        <Check
          label={t`Provider backups`}
          hint={provider === 'hetzner' ? t`Daily, for an additional fee.` : t`Weekly, for an additional fee.`}
          checked={order.backups}
          onChange={(e) => set({ backups: e.target.checked })}
        />
      )}
      <p role="status" className="rounded-lg bg-sunken px-4 py-3">
        {!chosen ? (
          <Trans>Select a size to see its price.</Trans>
        ) : chosen.attributes.price_monthly ? (
          <Trans>
            Price:{' '}
            <strong className="font-medium">
              {chosen.attributes.price_monthly} {chosen.attributes.currency} per month
            </strong>
            , excluding taxes, traffic and backups.
          </Trans>
        ) : (
          <Trans>The price is not known: the provider's API doesn't list prices. Check its price list before you order.</Trans>
        )}
      </p>
    </>
  );
}
