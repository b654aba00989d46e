import { z } from 'zod';
import type { AuditPosition } from './cursor.ts';

/**
 * How far the audit of a database has come, kept on the bus. A database whose audit ends before its mark was restored from an older copy,
 * and does not know what was revoked since. An audit never gets shorter by itself.
 */
export const RESTORE_MARKS = {
  bucket: 'restore_marks',
  shape: z.object({ epoch: z.int(), txid: z.string().regex(/^\d{1,18}$/), seq: z.string().regex(/^\d{1,18}$/) }),
};

/** Whether a database whose audit ends at a position is older than its mark. */
export function isBehind(position: AuditPosition, mark: AuditPosition | undefined): boolean {
  if (!mark) return false;
  if (position.epoch !== mark.epoch) return position.epoch < mark.epoch;
  if (position.txid !== mark.txid) return BigInt(position.txid) < BigInt(mark.txid);
  return BigInt(position.seq) < BigInt(mark.seq);
}
