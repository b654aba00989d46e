import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { Nothing, page, Paging } from '../core/page.ts';
import { serviceId } from '../core/params.ts';
import { AUTHENTICATED, WRITES } from '../core/refusals.ts';
import { Sealed } from '../core/sealed.ts';
import { idOr, text } from '../core/text.ts';
import { Delegate } from './shapes.ts';

const ROUTE = { tag: 'delegates', at: ['region'], spec: 'D1-5.8', callers: ['account', 'portal'] } as const;
const delegateId = idOr('delegates.not_found').describe('The id of a delegate, from the list of them');
const ofDelegate = z.object({ delegateId });
const ofGrant = z.object({ delegateId, serviceId });

export const listDelegates = endpoint({
  ...ROUTE,
  name: 'list_delegates',
  method: 'GET',
  path: '/api/delegates',
  summary: 'Who may work for the company, and on which services',
  description: 'The users who may work for the company, and the services they were granted, in pages.',
  query: Paging,
  status: 200,
  result: page(Delegate),
  refusals: [...AUTHENTICATED, 'request.invalid'],
});

export const addDelegate = endpoint({
  ...ROUTE,
  name: 'add_delegate',
  method: 'POST',
  path: '/api/delegates',
  summary: 'Let a user work for the company',
  description: 'Lets another user work for the company, found by share code. No service is granted yet.',
  body: z.strictObject({ share_code: text(64).min(1) }),
  status: 201,
  result: Delegate,
  refusals: [...WRITES, 'request.invalid', 'keys.not_found', 'delegates.exists'],
});

export const removeDelegate = endpoint({
  ...ROUTE,
  name: 'remove_delegate',
  method: 'DELETE',
  path: '/api/delegates/{delegateId}',
  summary: 'Let a user no longer work for the company',
  description: 'Takes all grants from a user. What the user has already read or copied cannot be taken back.',
  params: ofDelegate,
  status: 204,
  result: Nothing,
  refusals: [...WRITES, 'delegates.not_found'],
});

export const grantService = endpoint({
  ...ROUTE,
  name: 'grant_service',
  method: 'PUT',
  path: '/api/delegates/{delegateId}/services/{serviceId}',
  summary: 'Grant a service to a delegate, and hand over its key sealed to the delegate',
  description:
    'Lets a delegate work on one service. With `passphrase`, sealed to the delegate, the key of the service is handed over as ' +
    'well. Repeating it replaces the grant.',
  params: ofGrant,
  body: z.strictObject({ passphrase: Sealed.optional() }),
  status: 200,
  result: Delegate,
  refusals: [...WRITES, 'request.invalid', 'delegates.not_found', 'services.not_found', 'contact_data.encryption_required'],
});

export const revokeService = endpoint({
  ...ROUTE,
  name: 'revoke_service',
  method: 'DELETE',
  path: '/api/delegates/{delegateId}/services/{serviceId}',
  summary: 'Take a service from a delegate',
  description: 'Ends the grant of one service. A passphrase that was handed over is known to the delegate from then on.',
  params: ofGrant,
  status: 204,
  result: Nothing,
  refusals: [...WRITES, 'delegates.not_found', 'services.not_found'],
});
