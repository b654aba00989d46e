import { z } from 'zod';
import { expects } from '../core/fails.ts';
import { named } from '../core/named.ts';
import { CLIENT_KEY_BITS, CLIENT_KEYS } from './limits.ts';

/** The algorithms with which a client may sign an assertion, by the type of its key. EdDSA has a second name (RFC 9864). @gap D1-5.2 */
export const CLIENT_KEY_ALGORITHMS = { EC: ['ES256'], OKP: ['EdDSA', 'Ed25519'], RSA: ['PS256', 'RS256'] } as const;
export type ClientKeyAlgorithm = (typeof CLIENT_KEY_ALGORITHMS)[keyof typeof CLIENT_KEY_ALGORITHMS][number];

const coordinate = z.string().regex(/^[A-Za-z0-9_-]{43}$/, expects('must be 32 bytes in base64url'));
/** As many characters as the bytes of the longest key have in base64url. */
const MODULUS_CHARS = { least: Math.floor((CLIENT_KEY_BITS.least / 8) * (4 / 3)), most: Math.ceil((CLIENT_KEY_BITS.most / 8) * (4 / 3)) };
const modulus = z
  .string()
  .regex(/^[A-Za-z0-9_-]+$/, expects('must be base64url'))
  .min(MODULUS_CHARS.least, expects(`must have ${CLIENT_KEY_BITS.least} bits or more`))
  .max(MODULUS_CHARS.most, expects(`must have at most ${CLIENT_KEY_BITS.most} bits`));

const shared = {
  kid: z
    .string()
    .regex(/^[\x21-\x7e]{1,128}$/, expects('must be 1 to 128 visible ASCII characters'))
    .optional(),
  use: z.literal('sig').optional(),
  key_ops: z.tuple([z.literal('verify')]).optional(),
  ext: z.boolean().optional(),
};
export const EcKey = z.strictObject({
  ...shared,
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: coordinate,
  y: coordinate,
  alg: z.enum(CLIENT_KEY_ALGORITHMS.EC).optional(),
});
export const EdKey = z.strictObject({
  ...shared,
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: coordinate,
  alg: z.enum(CLIENT_KEY_ALGORITHMS.OKP).optional(),
});
const RsaKey = z.strictObject({
  ...shared,
  kty: z.literal('RSA'),
  n: modulus,
  e: z.literal('AQAB', expects('must be AQAB')),
  alg: z.enum(CLIENT_KEY_ALGORITHMS.RSA).optional(),
});

/** A public key of a client, as a JSON Web Key. Its members are a closed list, so no private part is taken. @gap D1-5.2 */
export const ClientKey = named('ClientKey', z.discriminatedUnion('kty', [EcKey, EdKey, RsaKey]));
export type ClientKey = z.infer<typeof ClientKey>;

/** The keys of a client, as its company sets them. @gap D1-5.2 */
export const ClientKeys = z
  .strictObject({
    keys: z.array(ClientKey).max(CLIENT_KEYS),
    required: z.boolean().default(false).describe('Whether the client needs a key from now on: its secret is refused then'),
  })
  .refine(({ keys, required }) => !required || keys.length > 0, {
    ...expects('must have a key when a key is required'),
    path: ['keys'],
  })
  .refine(({ keys }) => new Set(keys.map(({ kid }) => kid ?? Symbol())).size === keys.length, {
    ...expects('must have a kid of its own for each key'),
    path: ['keys'],
  });

/** The keys of a client, as they are registered. @gap D1-5.2 */
export const RegisteredKeys = z.object({ client_id: z.string(), keys: z.array(ClientKey), required: z.boolean() });
export type RegisteredKeys = z.infer<typeof RegisteredKeys>;
