import { z } from 'zod';
import { peerRead, peerWrite } from '../core/peer-subjects.ts';
import { Done, ofUser } from '../core/platform-subjects.ts';
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
    peerWrite(
      'note_delegating',
      { speaksFor: 'company_user_id' },
      ofUser.extend({ company_user_id: Id }),
      z.object({ display_name: z.string() }),
    ),
  ),
  /** The names of those of the users who are at home in the receiving region, and whom the company has made its delegates. */
  delegateNames: idempotent(
    peerRead(
      'delegate_names',
      { speaksFor: 'company_user_id' },
      z.strictObject({ company_user_id: Id, user_ids: z.array(Id).max(200) }),
      z.object({ names: z.array(z.object({ user_id: Id, display_name: z.string() })) }),
    ),
  ),
  list: idempotent(peerRead('delegations', { speaksFor: 'user_id' }, ofUser, z.object({ delegations: z.array(Delegation) }))),
  readKey: idempotent(peerWrite('read_delegated_key', { speaksFor: 'user_id' }, ofDelegation.extend({ service_id: Id }), DelegatedService)),
  accept: idempotent(peerWrite('accept_delegation', { speaksFor: 'user_id' }, ofDelegation, Done)),
  leave: peerWrite('leave_delegation', { speaksFor: 'user_id' }, ofDelegation, Done),
} as const;
