import { Refusal } from '@codase/contracts';

/** The position of a row in the order in which rows are read. */
export interface AuditPosition {
  epoch: number;
  /** The id of the transaction that wrote the row. It is text, because the number may be too long for JavaScript. */
  txid: string;
  seq: string;
}

export const BEGINNING: AuditPosition = { epoch: 0, txid: '0', seq: '0' };

export const writeCursor = ({ epoch, txid, seq }: AuditPosition): string => `${epoch}.${txid}.${seq}`;

export function readCursor(cursor: string | undefined): AuditPosition {
  if (cursor === undefined) return BEGINNING;
  const [, epoch, txid, seq] = /^(\d{1,9})\.(\d{1,18})\.(\d{1,18})$/.exec(cursor) ?? [];
  if (epoch === undefined) throw new Refusal('request.invalid').because('after: must be the cursor of an earlier answer');
  return { epoch: Number(epoch), txid: txid!, seq: seq! };
}
