import { hook } from '../hooks.ts';

/** A capability that keeps stored secrets beside those of webhooks. */
export interface StoredSecretsReseal {
  /** Seals what it keeps anew, under the key that writes now. */
  reseal(): Promise<'resealed' | 'current' | 'unreadable'>;
}
export const STORED_SECRETS_RESEALS = hook<StoredSecretsReseal>('stored secrets to seal anew');
