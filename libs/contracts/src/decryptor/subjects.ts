import { z } from 'zod';
import { NAME_CHARS } from '../core/limits.ts';
import { OneTimeKey, PublicKey, Sealed, sealedUpTo, WrappedKey } from '../core/sealed.ts';
import { subject } from '../core/subjects.ts';
import { Sha256 } from '../core/text.ts';
import { DELIVERY_BYTES } from '../feed-consumer/limits.ts';
import { OPEN_BATCH_VALUES, VERIFIED_SALT_CHARS } from './limits.ts';

/** A value to open and, optionally, what to check its clear text by. */
const ToOpen = z.strictObject({
  value: Sealed,
  /** The members that attest the value, as it carries them. @spec D1-2.7 */
  verification: z.strictObject({ verified_hash: Sha256, verified_salt: z.string().max(VERIFIED_SALT_CHARS) }).optional(),
  /**
   * The type of its request row. The answer then holds the parsed value, or why there is none. A value that is opened by its own key gets
   * neither. @spec D1-2.5
   */
  field_type: z.string().min(1).max(NAME_CHARS).optional(),
});
export type ToOpen = z.infer<typeof ToOpen>;

const Opened = z.object({
  plaintext: z.string(),
  /** Null when the request had nothing to attest the value by. False means not attested, not wrong. @spec D1-2.7 */
  attested: z.boolean().nullable(),
  /** The value by the field type that was requested: text, or the content of its JSON. @spec D1-2.3 */
  value: z.unknown().optional(),
  /** In place of `value`: the rule of the type that the plaintext breaks. */
  misfit: z.object({ code: z.string(), path: z.string(), message: z.string() }).optional(),
});
export type Opened = z.infer<typeof Opened>;

/** Several values to open, and what becomes of each. */
const OpenMany = {
  message: z.strictObject({ values: z.array(ToOpen).min(1).max(OPEN_BATCH_VALUES) }),
  reply: z.object({ items: z.array(z.union([Opened, z.object({ error_key: z.literal('decryptor.unreadable') })])) }),
};
/** The wrapped key of one value, and the key itself. */
const Unwrap = { message: z.strictObject({ wrapped_key: WrappedKey }), reply: z.object({ value_key: OneTimeKey }) };

/** Opens one value with the key of a service; the clear text exists in the reply alone. @spec D1-2.3 */
export const OPEN_VALUE = subject('codase.decryptor.v1.{service}.open', { message: ToOpen, reply: Opened, idempotent: 'costly' });

/** Opens many values at once. The answer has them in order; a value that does not open has an error in its place. @spec D1-2.3 */
export const OPEN_VALUES = subject('codase.decryptor.v1.{service}.open_values', { ...OpenMany, idempotent: 'costly' });

/**
 * Unwraps the key of one value, for a value that is longer than the bus carries. The reader of the value opens it with this key, which
 * opens nothing else. Only that shows whether the key is the right one. @spec D1-2.3 @gap D1-2.8
 */
export const UNWRAP_KEY = subject('codase.decryptor.v1.{service}.unwrap_key', { ...Unwrap, idempotent: 'costly' });

/**
 * Opens values that are sealed to the account key of the company, as claims of a sign-in are. The subject has no place for a service: a
 * user who may ask for every service may still not ask for the account. @spec D1-2.3 @gap D1-4.6
 */
export const OPEN_ACCOUNT_VALUES = subject('codase.decryptor.v1.open_account_values', { ...OpenMany, idempotent: 'costly' });

/** As `UNWRAP_KEY`, for a value that is sealed to the account key of the company. @spec D1-2.3 @gap D1-4.6 */
export const UNWRAP_ACCOUNT_VALUE = subject('codase.decryptor.v1.unwrap_account_value', { ...Unwrap, idempotent: 'costly' });

/** The public half of the key of a service. What the company keeps for itself is sealed to it. @spec D2-2.3 */
export const READ_SERVICE_KEY = subject('codase.decryptor.v1.{service}.public_key', {
  message: z.strictObject({}),
  reply: z.object({ public_key: PublicKey }),
  idempotent: 'at_once',
});

/** Opens the account-key envelope around a webhook's body; the values inside stay sealed. @spec D1-2.3 @spec D1-6.4 */
export const OPEN_PAYLOAD = subject('codase.decryptor.v1.{service}.open_payload', {
  message: z.strictObject({ envelope: sealedUpTo(DELIVERY_BYTES, 'request.too_large') }),
  reply: z.object({ payload: z.string() }),
  idempotent: 'costly',
});
