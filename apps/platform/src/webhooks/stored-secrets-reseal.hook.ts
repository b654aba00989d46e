import type { EntityManager } from 'typeorm';
import { hook } from '../hooks.ts';

/** A capability that keeps stored secrets beside those of webhooks. */
export interface StoredSecretsReseal {
  /** Seals what it keeps anew, under the key that writes now. */
  reseal(): Promise<'resealed' | 'current' | 'unreadable'>;
}
export const STORED_SECRETS_RESEALS = hook<StoredSecretsReseal>('stored secrets to seal anew');

/** A row of a company with stored secrets, which are bound to its id. */
export interface SealedRow {
  id: string;
  company_user_id: string;
  sealed_secrets: string;
}

/** A table of such rows. */
export interface SealedRows {
  /** The rows behind an id, so many at most, by their ids. */
  after(id: string, limit: number): Promise<SealedRow[]>;
  /** Puts other secrets in place of those of a row, if they are still the same. */
  replace(tx: EntityManager, row: SealedRow, resealed: string): Promise<void>;
}
export const SEALED_ROWS = hook<SealedRows>('rows with stored secrets');
