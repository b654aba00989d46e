import { services } from '@cds/contracts';
import type { Company } from '@cds/testing';

/** The one row that services ask for in a soak. */
export const SLUG = 'mail';

/** A service asks its customers for an e-mail address. */
export async function publishMailField(company: Company, service_id: string): Promise<void> {
  const params = { id: service_id };
  const { config_token } = await company.asks(services.readOwnRequestFields, { params });
  const fields = [{ slug: SLUG, label: 'E-mail', type: 'email' }];
  await company.asks(services.publishRequestFields, { params, body: { config_token, fields } });
}
