import { OPEN_BATCH_VALUES, Refusal } from '@codase/contracts';
import { z } from 'zod';

const USER = /^[A-Za-z0-9_-]{1,64}$/;
/** The name of the company's account among the keys, and in log lines and metrics. No service has this name. */
export const ACCOUNT = 'account';
const Services = z
  .array(z.string().regex(USER, 'names of services: letters, digits, _ and - only'))
  .refine((services) => !services.includes(ACCOUNT), `no service is named ${ACCOUNT}: for its key write "account": true`)
  .default([]);

/**
 * The limit of the service `flows` where CALLERS names none. It may open the answers of every service whose flows it plays, so its stolen
 * password opens the most.
 */
const FLOWS = 'flows';
const FLOWS_PER_MINUTE = 10_000;

/** What each user of the bus may have opened: values, envelopes of webhooks, values of the account. Other users are refused. */
export const Callers = z.record(
  z.string().regex(USER, 'users of the bus: letters, digits, _ and - only'),
  z.strictObject(
    {
      values: Services,
      payloads: Services,
      /** Whether the caller may open what is sealed to the account key: claims of sign-ins, and what the company gets as a customer. */
      account: z.boolean('true or false').default(false),
      /**
       * The number of values and envelopes in a minute beyond which a replica refuses the caller. A batch counts each of its values. Each
       * replica counts for itself, so all together open this number times the number of replicas at most.
       */
      per_minute: z
        .number('a number of values')
        .int()
        .min(OPEN_BATCH_VALUES, `${OPEN_BATCH_VALUES} or more, as a batch may have`)
        .optional(),
    },
    'an object of {values: [services], payloads: [services], account: true}',
  ),
  'an object of {user: {values: [services], payloads: [services], account: true}}',
);
export type Callers = z.infer<typeof Callers>;

/** Returns the number of values in a minute beyond which a replica refuses a caller; undefined when nothing limits it. */
export const limitOf = (callers: Callers, caller: string): number | undefined =>
  callers[caller]?.per_minute ?? (caller === FLOWS ? FLOWS_PER_MINUTE : undefined);

/** A caller's request to have something opened, of a service or of the account. */
export interface Wanted {
  by: string | undefined;
  /** The service, or `ACCOUNT` for values of the account. */
  service: string;
  what: 'values' | 'payloads' | 'account';
}

/** Checks rights first, so that a caller without them does not learn which services there are. The list of the bus must agree. */
export function checkCaller(callers: Callers, { by, service, what }: Wanted): void {
  const rights = by !== undefined && Object.hasOwn(callers, by) ? callers[by] : undefined;
  const isAllowed = what === 'account' ? rights?.account : rights?.[what].includes(service);
  if (!isAllowed) throw what === 'account' ? refusedAtAccount() : new Refusal('decryptor.caller_refused');
}

const refusedAtAccount = () =>
  new Refusal('decryptor.caller_refused').because(
    'The decryptor does not know you as a reader of the account: an operator gives you "account": true in its CALLERS',
  );
