import { z } from 'zod';
import { Done, operatorRegionSubject, operatorSubject } from '../core/platform-subjects.ts';
import { Id, Timestamp } from '../core/text.ts';

/** A row of the audit as it is read; members that say nothing are null. */
export const AuditEntry = z.object({
  at: Timestamp,
  act: z.string(),
  outcome: z.string(),
  initiator: z.string().nullable(),
  client_id: z.string().nullable(),
  address: z.string().nullable(),
  account_id: z.string().nullable(),
  object: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

/** Rows that one answer holds: well below what a message may. */
export const AUDIT_PAGE = 500;

const AuditQuery = z.strictObject({
  from: Timestamp.optional(),
  to: Timestamp.optional(),
  /** Rows about this account, or of what it did. */
  account_id: Id.optional(),
  /** The cursor of an earlier answer: rows behind it. */
  after: z.string().max(100).optional(),
});
export type AuditQuery = z.infer<typeof AuditQuery>;

/** The next rows and the cursor behind them; a page that is not full is the last for now, and its cursor goes on from there later. */
const AuditPage = z.object({ items: z.array(AuditEntry), cursor: z.string().nullable() });
export type AuditPage = z.infer<typeof AuditPage>;

/** The steps of a rotation: the new key is read, then it writes, then the old one goes. */
export const KEY_STEPS = ['added', 'first', 'removed'] as const;
export type KeyStep = (typeof KEY_STEPS)[number];

/** What an operator is about to do with a list of keys. An id says nothing of its key. */
const KeyChange = z.strictObject({
  /** The list, as replicas report it. */
  list: z.string().max(100),
  base: z.string().max(100),
  /** Base64url, so it may begin with any of its signs. */
  key_id: z.string().regex(/^[\w-]{1,64}$/),
  step: z.enum(KEY_STEPS),
});
export type KeyChange = z.infer<typeof KeyChange>;

/** Asked of the front door by an operator alone. */
export const auditOperatorSubjects = {
  readAudit: operatorSubject('read_audit', AuditQuery, AuditPage),
  /** Keys come by files, and not over the bus: whoever changes them says so here before. */
  recordKeyChange: operatorSubject('record_key_change', KeyChange, Done),
} as const;

/** The same, asked of a region. */
export const READ_REGION_AUDIT = operatorRegionSubject('read_audit', AuditQuery, AuditPage);
