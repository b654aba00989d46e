import { z } from 'zod';
import { Done, ofUser, peerSubject } from '../core/platform-subjects.ts';
import { idempotent } from '../core/subjects.ts';
import { Id } from '../core/text.ts';
import { DelegatedService, Delegation } from './shapes.ts';

const ofDelegation = ofUser.extend({ delegation_id: Id });

/**
 * Subjects between the region of a company and the home region of its delegate. The delegation is kept in the company's region alone.
 * @gap D1-5.8
 */
export const DELEGATION_SUBJECTS = {
  /** Sent by a company's region before it makes a user its delegate who is at home in the receiving region. Answers the user's name. */
  noteDelegating: idempotent(
    peerSubject('note_delegating', ofUser.extend({ company_user_id: Id }), z.object({ display_name: z.string() })),
  ),
  /** The names of those of the users who are at home in the receiving region. */
  delegateNames: idempotent(
    peerSubject(
      'delegate_names',
      z.strictObject({ user_ids: z.array(Id).max(200) }),
      z.object({ names: z.array(z.object({ user_id: Id, display_name: z.string() })) }),
    ),
  ),
  list: idempotent(peerSubject('delegations', ofUser, z.object({ delegations: z.array(Delegation) }))),
  readKey: idempotent(peerSubject('read_delegated_key', ofDelegation.extend({ service_id: Id }), DelegatedService)),
  leave: peerSubject('leave_delegation', ofDelegation, Done),
} as const;
