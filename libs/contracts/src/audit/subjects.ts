import { z } from 'zod';
import { Done, operatorRegionSubject, operatorSubject } from '../core/platform-subjects.ts';
import { Id, Timestamp } from '../core/text.ts';

/** A row of the audit as it is read; members without content are null. */
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
  /** A random text with which the transparency log commits to the entry; absent from entries that are older than the log. */
  salt: z.string().optional(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

/** The most rows of one answer. An answer with long rows has fewer, so that a message can hold it. */
export const AUDIT_PAGE = 500;

const AuditQuery = z.strictObject({
  from: Timestamp.optional(),
  to: Timestamp.optional(),
  /** Only rows about this account, or about what it did. */
  account_id: Id.optional(),
  /** The cursor of an earlier answer: only rows after it. */
  after: z.string().max(100).optional(),
  /** The `newest` of an earlier answer: `waits` is then about the rows up to it, and not about those that have come since. */
  until: z.string().max(100).optional(),
});
export type AuditQuery = z.infer<typeof AuditQuery>;

/**
 * The next rows, and the cursor after them. `more` says whether there is a further page now; reading can go on from the cursor later too.
 * `waits` says that rows up to the `newest` come later: a transaction that is still open may yet add rows before them. An earlier release
 * says none of them, and its page with `AUDIT_PAGE` rows is followed by another.
 */
const AuditPage = z.object({
  items: z.array(AuditEntry),
  cursor: z.string().nullable(),
  more: z.boolean().optional(),
  waits: z.boolean().optional(),
  newest: z.string().optional(),
});
export type AuditPage = z.infer<typeof AuditPage>;

/** The steps of a key rotation: the new key is added for reading, then it is used for writing, then the old key is removed. */
export const KEY_STEPS = ['added', 'first', 'removed'] as const;
export type KeyStep = (typeof KEY_STEPS)[number];

/** A change that an operator is about to make to a list of keys. The id reveals nothing of its key. */
const KeyChange = z.strictObject({
  /** The name of the list, as replicas report it. */
  list: z.string().max(100),
  base: z.string().max(100),
  /** Base64url, so the id may begin with any of its characters. */
  key_id: z.string().regex(/^[\w-]{1,64}$/),
  step: z.enum(KEY_STEPS),
});
export type KeyChange = z.infer<typeof KeyChange>;

/** Subjects that only an operator asks, and the front door answers. */
export const auditOperatorSubjects = {
  readAudit: operatorSubject('read_audit', AuditQuery, AuditPage),
  /** Keys come in files, and not over the bus: an operator who is about to change them records it here first. */
  recordKeyChange: operatorSubject('record_key_change', KeyChange, Done),
} as const;

/** The same, answered by a region. */
export const READ_REGION_AUDIT = operatorRegionSubject('read_audit', AuditQuery, AuditPage);
