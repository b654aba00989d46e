import { z } from 'zod';
import type { Endpoint } from '../core/endpoint.ts';
import { subject } from '../core/subjects.ts';
import { carriedByBus } from './bus-file.ts';

/** A data operation of the platform, asked of the gateway for one of the services it holds credentials of. */
export const operation = <const E extends Endpoint>(contract: E) =>
  subject(`cds.gateway.v1.{service}.${contract.name as string}`, {
    message: z.strictObject({
      ...(contract.params && { params: contract.params }),
      ...(contract.query && { query: contract.query }),
      ...(contract.body && { body: contract.body }),
    }),
    reply: (contract.produces === 'bytes' ? carriedByBus(contract.result) : (contract.received ?? contract.result)) as E['result'],
  });

/** Whether the gateway answers an endpoint on the bus: what a service's own client may call in its region. */
export const isDataOperation = ({ callers, at }: Endpoint): boolean => callers.includes('service') && at.includes('region');
