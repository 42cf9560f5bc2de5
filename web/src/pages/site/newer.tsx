import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useWrite } from '../../api/query';
import { Action } from '../../kit/action';
import { Notice } from '../../kit/page';
import { texts } from '../../kit/words';
import { useAt } from './at';

/** NewerRuntime offers the newest release of the line that the site runs. Its program is started with it beside the live one, and takes over once it answers. */
export function NewerRuntime({ newest }: { newest: string }) {
  const { site, params } = useAt();
  const wanted = site.meta!.runtime!.wanted!;
  const write = useWrite('put', '/orgs/{organization}/servers/{server}/sites/{site}', params);
  const body = { runtime_version: wanted.split('.').length > 2 ? newest : wanted };
  return (
    <span className="mt-1 flex flex-wrap items-center gap-2">
      <Trans>{newest} is available.</Trans>
      <Action write={write} body={body} plans>{t`Update to ${newest}`}</Action>
      {write.error && (
        <Notice tone="bad" role="alert">
          {texts(write.fields) || write.error.message}
        </Notice>
      )}
    </span>
  );
}
