import type { NewAppEvent } from '../../foundation/app-events/index.ts';
import type { DelegateEntity } from './delegate.entity.ts';

/** Returns the events that let the phones of a delegate read the delegations again. A company at the portal has no phone. @gap D1-1 */
export const phoneEvents = ({ delegate_type, delegate_user_id, company_user_id, delegate_id }: DelegateEntity, at: Date): NewAppEvent[] =>
  delegate_type === 'person'
    ? [{ person_user_id: delegate_user_id, company_user_id, kind: 'delegation_changed', object_id: delegate_id, at }]
    : [];
