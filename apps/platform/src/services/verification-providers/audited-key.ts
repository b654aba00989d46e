/** Returns how the audit names a key of a provider. An id of a provider has no colon. */
export const keyObject = (provider_id: string, kid: string): string => `${provider_id}:${kid}`;

/** Reads that name. */
export function readKeyObject(object: string): { provider_id: string; kid: string } {
  const colon = object.indexOf(':');
  return { provider_id: object.slice(0, colon), kid: object.slice(colon + 1) };
}
