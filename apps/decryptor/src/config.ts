import { FieldTypeRow, OPEN_BATCH_VALUES } from '@codase/contracts';
import { fieldTypes, RegistryFault, SYSTEM_ROWS, type FieldTypes } from '@codase/domain/field-types';
import { isProduction, json, serviceConfig } from '@codase/runtime/config';
import { z } from 'zod';
import type { Folders } from './keyring/file-mode.ts';
import { Callers } from './open/callers.ts';

/** How many values may wait for each thread: some four seconds of work, as callers wait five. */
const VALUES_PER_THREAD = 1000;

const amount = (least: number) => z.coerce.number('a number').int('a whole number').min(least, `a number, ${least} or more`);

export const Config = serviceConfig.extend({
  /** Holds NAME.pem for each service, by its name at the gateway, and account.pem. Files that others can read are refused in production. */
  KEYS_DIR: z.string('the folder of the private keys').min(1),
  /** Holds NAME.passphrase for each key. Give it a mount of its own: when absent it is KEYS_DIR, and readiness notes that. */
  PASSPHRASES_DIR: z.string('the folder of the passphrases').min(1).optional(),
  /** How often to look for keys that were added, replaced or removed. */
  KEYS_POLL_SECONDS: z.coerce.number('seconds').min(0.05, 'seconds, 0.05 or more').max(3600, 'seconds, up to 3600').default(5),
  /**
   * {"shop-backend": {"values": ["shop"]}, "feed-consumer": {"payloads": ["shop"]}, "sign-in-page": {"account": true}}; mount it and name
   * it in CALLERS_FILE.
   */
  CALLERS: json(Callers),
  /**
   * The number of values in a minute beyond which the opening of one caller is logged and counted as bulk. Each replica counts for itself,
   * so divide the number that you mean by the number of replicas.
   */
  BULK_VALUES_PER_MINUTE: amount(OPEN_BATCH_VALUES).default(10_000),
  /** Rows as GET /api/contact-field-types answers them, when the operator has added types; the platform's own types when absent. */
  FIELD_TYPES: json(z.array(FieldTypeRow, 'an array of registry rows')).transform(readTypes).optional(),
  /** The threads that open values, one for each core when absent. Set it when the process may not use all cores of its machine. */
  OPEN_THREADS: amount(1).max(256, 'a number up to 256').optional(),
  /** How many values may be under way, queued ones included. More are refused. */
  QUEUE_VALUES: amount(OPEN_BATCH_VALUES).optional(),
});
export type Config = z.infer<typeof Config>;

/** The injection tokens of what the parts of the service are given. */
export const CALLERS = Symbol('Callers');
export const FIELD_TYPES = Symbol('FieldTypes');

export const typesOf = ({ FIELD_TYPES: types }: Config): FieldTypes => types ?? fieldTypes(SYSTEM_ROWS);

export const foldersOf = ({ KEYS_DIR, PASSPHRASES_DIR = KEYS_DIR, ...config }: Config): Folders => ({
  pems: KEYS_DIR,
  passphrases: PASSPHRASES_DIR,
  strict: isProduction(config),
});

export const queueOf = ({ QUEUE_VALUES }: Config, threads: number): number => QUEUE_VALUES ?? VALUES_PER_THREAD * threads;

function readTypes(rows: FieldTypeRow[], context: z.RefinementCtx): FieldTypes {
  try {
    return fieldTypes(rows);
  } catch (error) {
    const fault = error instanceof RegistryFault ? error.message : 'these are none';
    context.addIssue({ code: 'custom', message: `rows of a registry: ${fault}` });
    return z.NEVER;
  }
}
