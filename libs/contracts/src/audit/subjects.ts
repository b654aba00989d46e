import { z } from 'zod';
import { peerRead } from '../core/peer-subjects.ts';
import { Done, frontDoorSubject, operatorRegionSubject, operatorSubject, regionSubject } from '../core/platform-subjects.ts';
import { idempotent } from '../core/subjects.ts';
import { Id, Timestamp } from '../core/text.ts';
import { LOG_PAGE, proveKey } from './endpoints.ts';

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

/** How far a base has checked the transparency log of another: the number of the log, and how many leaves. Zeros when it holds nothing. */
const LogKept = z.strictObject({ log: z.int().min(0), size: z.int().min(0) });
export type LogKept = z.infer<typeof LogKept>;

const base64Of = (bytes: number) => z.base64().max(4 * Math.ceil(bytes / 3));

/**
 * The signed head of a log, the roots of its complete subtrees, and its leaves from what is held on: one page at most, and none of another
 * log than the one that is held.
 */
const LogGrowth = z.object({ note: z.string().max(1000), subtrees: base64Of(64 * 32), leaves: base64Of(LOG_PAGE * 32) });
export type LogGrowth = z.infer<typeof LogGrowth>;

/** A region follows the transparency log of the front door, and asks for proofs of keys that the front door holds. @gap D1-8 */
export const auditSubjects = {
  followLog: frontDoorSubject('follow_log', LogKept, LogGrowth),
  proveKey: idempotent(frontDoorSubject('prove_key', z.strictObject({ key: proveKey.params, seen: LogKept.optional() }), proveKey.result)),
} as const;

/** The front door follows the transparency log of a region. @gap D1-8 */
export const auditRegionSubjects = { followRegionLog: regionSubject('follow_log', LogKept, LogGrowth) } as const;

/** A region follows the transparency log of another region. @gap D1-8 */
export const LOG_SUBJECTS = {
  follow: peerRead('follow_log', { speaksFor: { nobody: 'heads and leaves are public' } }, LogKept, LogGrowth),
} as const;
