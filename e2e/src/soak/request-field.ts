import type { Company, NewRequestRow } from '@cds/testing';

/** The one row that services ask for in a soak. */
export const SLUG = 'mail';

/** A service asks its customers for an e-mail address, and for what else is given. */
export async function publishMailField(company: Company, service_id: string, more: readonly NewRequestRow[] = []): Promise<void> {
  await company.services.publishesRequest(service_id, [{ slug: SLUG, label: 'E-mail', type: 'email' }, ...more]);
}
