import { createHash } from 'node:crypto';
import type { AuditEntry } from '@codase/contracts';
import { leafHash } from './merkle-tree.ts';

/**
 * Returns the leaf of an entry of the audit: the hash of a commitment to the entry as it is exported. The salt is a member of the entry
 * that nobody can guess, so a leaf tells nothing once the entry with its salt is deleted.
 */
export const leafOf = (entry: AuditEntry): Buffer => leafHash(createHash('sha256').update(canonicalJson(entry)).digest());

/** Writes JSON with sorted members and without blanks (RFC 8785), so that everybody hashes the same bytes. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}
