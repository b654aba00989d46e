import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { whole } from '../core/page.ts';
import { idOr } from '../core/text.ts';
import { DelegatedService, Delegation } from './shapes.ts';

/**
 * What a delegate sees and does. The specification names only the company's side; without this one a passphrase that was handed over could
 * be read by nobody. No client is granted these routes: they answer keys of other companies. @gap D1-5.8
 */
const ROUTE = { tag: 'delegates', at: ['region'], spec: 'D1-5.8', callers: ['portal', 'person'] } as const;
const delegationId = idOr('delegates.not_found').describe('The id of a delegation, from the list of them');
const serviceId = idOr('delegates.not_found').describe('The id of a service that was granted, from the list of delegations');

export const listDelegations = endpoint('list_delegations', 'GET /api/delegations', {
  ...ROUTE,
  summary: 'For which companies the caller may work, and on which services',
  description: 'The companies that made the caller their delegate, the oldest delegation first, and the services that each has granted.',
  result: whole(Delegation),
});

export const readDelegatedKey = endpoint('read_delegated_key', 'POST /api/delegations/{delegationId}/services/{serviceId}/key', {
  ...ROUTE,
  idempotent: true,
  summary: 'Read the key of a service that was granted to the caller',
  description:
    'Answers a granted service. `key` has the passphrase, sealed to the caller, and the private key of the service, which that ' +
    'passphrase opens; it is null while the company has not handed the key over. The first reading is recorded, and the company sees ' +
    'it: so this is no GET. It accepts the delegation. Repeating it answers the same. What is not granted, or no longer, is ' +
    '`delegates.not_found`.',
  params: z.object({ delegationId, serviceId }),
  result: DelegatedService,
  refusals: ['delegates.not_found'],
});

export const acceptDelegation = endpoint('accept_delegation', 'POST /api/delegations/{delegationId}/accept', {
  ...ROUTE,
  idempotent: true,
  summary: 'Accept to work for a company, which then sees who the caller is',
  description:
    'Until then the company sees the share code that it gave and neither name nor id. Reading a key of the delegation accepts it too. ' +
    'Repeating it changes nothing. Who does not want it leaves the delegation.',
  params: z.object({ delegationId }),
  refusals: ['delegates.not_found'],
});

export const leaveDelegation = endpoint('leave_delegation', 'DELETE /api/delegations/{delegationId}', {
  ...ROUTE,
  summary: 'Work for a company no longer',
  description: 'Ends a delegation with all its grants, as if the company had removed the delegate.',
  params: z.object({ delegationId }),
  refusals: ['delegates.not_found'],
});
