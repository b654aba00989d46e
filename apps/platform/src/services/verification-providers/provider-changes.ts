import { PROVIDER_KEYS, Refusal, type NewProviderKey, type NewVerificationProvider } from '@codase/contracts';
import type { ProviderRow } from './provider-rows.ts';

const DAY_MS = 86_400_000;

const invalid = (reason: string) => new Refusal('request.invalid').because(reason);

/** Returns a new provider, all of whose keys sign. Refuses an id that another provider has or had: values name their provider by it. */
export function newProvider({ keys, ...given }: NewVerificationProvider, known: ProviderRow | undefined): ProviderRow {
  if (known) throw invalid(`provider_id: there is or was a provider ${given.provider_id}: choose another id`);
  return { ...given, keys: keys.map((key) => ({ ...key, until: null })), revoked: [], removed: false };
}

/** Returns a provider that signs with a new key. The keys before it sign until their overlap is over. */
export function withNewKey(provider: ProviderRow, key: NewProviderKey, now: Date, overlap_days: number): ProviderRow {
  const { keys, revoked } = provider;
  const isTaken = keys.some(({ kid }) => kid === key.kid) || revoked.includes(key.kid);
  if (isTaken) throw invalid(`key: the provider has or had a key ${key.kid}: give this one another kid`);
  if (keys.length >= PROVIDER_KEYS) throw invalid(`key: a provider has at most ${PROVIDER_KEYS} keys: revoke one that you can do without`);
  const end = new Date(now.getTime() + overlap_days * DAY_MS).toISOString();
  const before = keys.map((one) => ({ ...one, until: one.until !== null && one.until < end ? one.until : end }));
  return { ...provider, keys: [...before, { ...key, until: null }] };
}

/** Returns a provider without a key. */
export function withoutKey(provider: ProviderRow, kid: string): ProviderRow {
  const keys = provider.keys.filter((key) => key.kid !== kid);
  if (keys.length === provider.keys.length) throw invalid(`kid: the provider has no key ${kid}`);
  return { ...provider, keys, revoked: [...provider.revoked, kid] };
}

/** Returns what is left of a provider that is removed. */
export function removed(provider: ProviderRow): ProviderRow {
  return { ...provider, keys: [], revoked: [...provider.revoked, ...provider.keys.map(({ kid }) => kid)], removed: true };
}
