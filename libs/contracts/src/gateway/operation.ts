import { z } from 'zod';
import type { Endpoint } from '../core/endpoint.ts';
import { subject } from '../core/subjects.ts';
import { carriedByBus } from './bus-file.ts';

/** Whether a call may be repeated though it may have taken effect: a read that deletes nothing, or an idempotent write. */
export const isIdempotent = ({ method, takes, idempotent }: Pick<Endpoint, 'method' | 'takes' | 'idempotent'>): boolean =>
  (method === 'GET' && !takes) || idempotent === true;

const describe = <const E extends Endpoint>(contract: E) =>
  subject(`codase.gateway.v1.{service}.${contract.name as string}`, {
    message: z.strictObject({
      ...(contract.params && { params: contract.params }),
      ...(contract.query && { query: contract.query }),
      ...(contract.body && { body: contract.body }),
    }),
    idempotent: isIdempotent(contract) ? 'at_once' : undefined,
    reply: (contract.produces === 'bytes' ? carriedByBus(contract.result) : (contract.received ?? contract.result)) as E['result'],
  });

const described = new WeakMap<Endpoint, unknown>();

/** Returns the subject of a data operation, which the gateway answers for one of its services. Each subject is made once. */
export function operation<const E extends Endpoint>(contract: E): ReturnType<typeof describe<E>> {
  const made = described.get(contract) ?? describe(contract);
  described.set(contract, made);
  return made as ReturnType<typeof describe<E>>;
}

/** Whether the gateway answers an endpoint on the bus: one that a service's own client may call in its region. */
export const isDataOperation = ({ callers, at }: Endpoint): boolean => callers.includes('service') && at.includes('region');
