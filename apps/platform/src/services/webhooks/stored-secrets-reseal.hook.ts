import type { EntityManager } from 'typeorm';
import { hook } from '../../kit/hooks.ts';

/** A capability that keeps stored secrets beside those of webhooks. */
export interface StoredSecretsReseal {
  /** Seals its secrets anew, under the current writing key. */
  reseal(): Promise<'resealed' | 'current' | 'unreadable'>;
}
export const STORED_SECRETS_RESEALS = hook<StoredSecretsReseal>('stored secrets to seal anew');

/** A row of a company with stored secrets, which are bound to the id of the row. */
export interface SealedRow {
  id: string;
  company_user_id: string;
  sealed_secrets: string;
}

/** A table of rows with stored secrets. */
export interface SealedRows {
  /** Returns at most `limit` rows whose ids come after `id`, in the order of their ids. */
  after(id: string, limit: number): Promise<SealedRow[]>;
  /** Replaces the secrets of a row, if they are still the ones that were read. */
  replace(tx: EntityManager, row: SealedRow, resealed: string): Promise<void>;
}
export const SEALED_ROWS = hook<SealedRows>('rows with stored secrets');
