import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { fails } from '../core/fails.ts';
import { page, Paging } from '../core/page.ts';
import { serviceId } from '../core/params.ts';
import { sealedUpTo } from '../core/sealed.ts';
import { idOr } from '../core/text.ts';
import { DELEGATES } from './limits.ts';
import { Delegate } from './shapes.ts';

const ROUTE = { tag: 'delegates', at: ['region'], spec: 'D1-5.8', callers: ['account', 'portal'] } as const;
const delegateId = idOr('delegates.not_found').describe('The id of a delegate, from the list of them');
const ofDelegate = z.object({ delegateId });
const ofGrant = z.object({ delegateId, serviceId });
/** A code that nobody can have is answered like one that nobody has. */
const share_code = z.string().regex(/^[A-Z0-9]{1,16}$/, fails('keys.not_found'));
const passphrase = sealedUpTo(DELEGATES.passphrase_chars, 'request.invalid');

export const listDelegates = endpoint('list_delegates', 'GET /api/delegates', {
  ...ROUTE,
  summary: 'Who may work for the company, and on which services',
  description:
    'The users who may work for the company, the oldest first, and the services they were granted. `key_read_at` says when the delegate ' +
    'first read the key of a service, and is null until then.',
  query: Paging,
  result: page(Delegate),
  refusals: ['request.invalid'],
});

export const addDelegate = endpoint('add_delegate', 'POST /api/delegates', {
  ...ROUTE,
  summary: 'Let a user work for the company',
  description:
    'Lets another user work for the company, a person or another company, found by share code. No service is granted yet. The user ' +
    'sees it among the own delegations, and can accept or end it; `user_id` and `display_name` are null until then. A user who is ' +
    'already a delegate is refused: list the delegates.',
  body: z.strictObject({ share_code }),
  status: 201,
  result: Delegate,
  refusals: ['request.invalid', 'keys.not_found', 'delegates.exists', 'delegates.too_many'],
  // The user hears of it: nobody tries many codes, or adds somebody again and again.
  limit: 'delegates',
});

export const removeDelegate = endpoint('remove_delegate', 'DELETE /api/delegates/{delegateId}', {
  ...ROUTE,
  summary: 'Let a user no longer work for the company',
  description: 'Takes all grants from a user and ends the delegation. What the user has already read or copied cannot be taken back.',
  params: ofDelegate,
  refusals: ['delegates.not_found'],
});

export const grantService = endpoint('grant_service', 'PUT /api/delegates/{delegateId}/services/{serviceId}', {
  ...ROUTE,
  idempotent: true,
  summary: 'Grant a service to a delegate, and hand over its key sealed to the delegate',
  description:
    'Grants one service to a delegate. With `passphrase`, the passphrase of the service key sealed to the `public_key` of the ' +
    'delegate, the key is handed over as well: the delegate reads it together with the encrypted private key. Repeating it replaces ' +
    'the grant; without `passphrase` the key is no longer handed out. Repeating the same changes nothing, and nobody hears of it.',
  params: ofGrant,
  body: z.strictObject({ passphrase: passphrase.optional() }),
  result: Delegate,
  refusals: ['request.invalid', 'delegates.not_found', 'delegates.too_many', 'services.not_found', 'contact_data.encryption_required'],
  // The user hears of it. Taking a grant back is not limited, as there is one grant to take back for each that was made.
  limit: 'delegates',
});

export const revokeService = endpoint('revoke_service', 'DELETE /api/delegates/{delegateId}/services/{serviceId}', {
  ...ROUTE,
  summary: 'Take a service from a delegate',
  description:
    'Ends the grant of one service: the key is handed out no more. A delegate who has read it, as `key_read_at` says, knows it for good. ' +
    'A service that is not granted is `delegates.not_found`.',
  params: ofGrant,
  refusals: ['delegates.not_found', 'services.not_found'],
});
