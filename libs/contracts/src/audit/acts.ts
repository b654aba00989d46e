/**
 * Every act that the audit knows: a new one is one line here. A name says what it is about and what happened, and stays for ever, since
 * rows of years ago carry it.
 */
export const AUDIT_ACTS = [
  'account.created',
  'account.deleted',
  'account.deletion_requested',
  'account.disabled',
  'account.enabled',
  'account.password_changed',
  'account.password_checked',
  'audit.exported',
  'challenge.answered',
  'client.changed',
  'client.created',
  'client.deleted',
  'client.disabled',
  'client.enabled',
  'client.patterns_backfilled',
  'client.secret_replaced',
  'connection.ended',
  'enrolment.created',
  'enrolment.revoked',
  'field.verified',
  'field_type.put',
  'key.rewrapped',
  'key.rotated',
  'level.changed',
  'mode.changed',
  'move.begun',
  'move.flipped',
  'move.returned',
  'restore.reconciled',
  'service.created',
  'service.deleted',
  'session.ended',
  'sessions.ended',
  'sign_in',
  'token.refused',
  'token.revoked',
  'webhook.changed',
  'webhook.created',
  'webhook.deleted',
] as const;
export type AuditAct = (typeof AUDIT_ACTS)[number];

/** How an act ended that was not refused; of a refused one the outcome is the key of its refusal. */
export const AUDIT_DONE = 'done';
