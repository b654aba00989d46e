import type { Company, NewRequestRow } from '@codase/testing';

export const SLUG = 'mail';

export const answerTo = (text: string): string => `You get ${text}`;

/** Publishes the request fields of a service: an e-mail address, and the given ones. */
export async function publishMailField(company: Company, service_id: string, more: readonly NewRequestRow[] = []): Promise<void> {
  await company.services.publishesRequest(service_id, [{ slug: SLUG, label: 'E-mail', type: 'email' }, ...more]);
}
