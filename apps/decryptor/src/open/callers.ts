import { OPEN_BATCH_VALUES, Refusal } from '@cds/contracts';
import { z } from 'zod';

const USER = /^[A-Za-z0-9_-]{1,64}$/;
const Services = z.array(z.string().regex(USER, 'names of services: letters, digits, _ and - only')).default([]);

/** What each user of the bus may have opened: values of services, or the envelopes of their webhooks. Any other user is refused. */
export const Callers = z.record(
  z.string().regex(USER, 'users of the bus: letters, digits, _ and - only'),
  z.strictObject(
    {
      values: Services,
      payloads: Services,
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
    'an object of {values: [services], payloads: [services]}',
  ),
  'an object of {user: {values: [services], payloads: [services]}}',
);
export type Callers = z.infer<typeof Callers>;

/** A caller's request to have something of a service opened. */
export interface Wanted {
  by: string | undefined;
  service: string;
  what: 'values' | 'payloads';
}

/**
 * Checks the caller's rights before anything else, so that a caller without rights does not learn which services there are. The bus has
 * such a list too, and both must agree.
 */
export function checkCaller(callers: Callers, { by, service, what }: Wanted): void {
  const rights = by !== undefined && Object.hasOwn(callers, by) ? callers[by] : undefined;
  if (!rights?.[what].includes(service)) throw new Refusal('decryptor.caller_refused');
}
