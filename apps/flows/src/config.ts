import { databaseConfig, httpUrl, serviceConfig } from '@codase/runtime/config';
import { z } from 'zod';
import { Services } from './settings.ts';

/** A JSON Web Key Set of EC keys, as text. */
const HeadKeys = z
  .string('a JSON Web Key Set')
  .transform((text, { addIssue }) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      addIssue({ code: 'custom', message: 'a JSON Web Key Set' });
      return z.NEVER;
    }
  })
  .pipe(z.object({ keys: z.array(z.object({ kty: z.literal('EC'), crv: z.literal('P-256'), x: z.string(), y: z.string() })).min(1) }));

export const Config = serviceConfig
  .extend(databaseConfig.shape)
  .extend({
    /**
     * The services whose runs are polled, by their names at the gateway, with the deadlines and rules of their flows, such as
     * {"shop": {"owner_parties": ["company"], "flows": {"*": {"overdue_after_hours": 48}}}}. Events of other services are followed too.
     */
    SERVICES: Services.default({}),
    /** How often the platform is asked which runs await the company, to find those whose event was lost. */
    POLL_SECONDS: z.coerce.number('seconds').min(0.05, 'seconds, 0.05 or more').max(3600, 'seconds, up to 3600').default(60),
    /** The gateway's HTTP server, for files of customers. Without it, files must fit into a message of the bus. */
    GATEWAY_URL: httpUrl.optional(),
    /** Whether a customer's key must stand in the transparency log of the platform: off, warn, or require (nothing is sealed otherwise). */
    KEY_LOG: z.enum(['off', 'warn', 'require'], 'off, warn or require').default('warn'),
    /** The keys that sign the log of the platform's front door, as a JSON Web Key Set. Without them the region says which they are. */
    KEY_LOG_KEYS: HeadKeys.optional(),
    /** The token that the gateway's operator gave this service in the gateway's CALLERS. */
    GATEWAY_TOKEN: z.string('a token of the gateway').min(32, 'a token of 32 characters or more').optional(),
  })
  .refine(({ GATEWAY_URL, GATEWAY_TOKEN }) => (GATEWAY_URL === undefined) === (GATEWAY_TOKEN === undefined), {
    path: ['GATEWAY_TOKEN'],
    error: 'a token beside GATEWAY_URL, and none without it',
  });
export type Config = z.infer<typeof Config>;

/** How keys of customers are checked in the transparency log. */
export const KEY_LOG = Symbol('KeyLog');
export const keyLogOf = ({ KEY_LOG: mode, KEY_LOG_KEYS: set }: Config) => ({ mode, keys: set?.keys });

/** The address of the gateway's HTTP server, undefined when none is configured. */
export const GATEWAY = Symbol('Gateway');
export const gatewayOf = ({ GATEWAY_URL: url, GATEWAY_TOKEN: token }: Config) =>
  url === undefined || token === undefined ? undefined : { url, token };
