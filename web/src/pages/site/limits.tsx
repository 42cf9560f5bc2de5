import { t } from '@lingui/core/macro';
import { useWrite } from '../../api/query';
import { Form, Saved } from '../../kit/form';
import { Section } from '../../kit/page';
import { useAt } from './at';
import { useLimits } from './limit-fields';

const path = '/orgs/{organization}/servers/{server}/sites/{site}';

/** Limits is how much of its server all that runs for a site may use. */
export function Limits() {
  const { site, params } = useAt();
  const limits = useLimits('limits', site.meta?.limits);
  const write = useWrite('put', path, params);
  const body = () => ({ limits: limits.asked() });
  return (
    <Section
      title={t`Limits`}
      text={t`How much of the server all that runs for the site may use; deployments may use as much once more. Empty fields are no limit. The first limits start PHP and the program beside those that run, and restart background processes.`}
    >
      <Form
        write={write}
        submit={t`Save limits`}
        does={[write.operation, `put ${path} limits`]}
        onSubmit={() => write.submit(body())}
        onPlan={() => write.tryOut(body())}
        call={() => write.call(body())}
        extra={<Saved shown={write.saved} />}
      >
        {limits.fields}
      </Form>
    </Section>
  );
}
