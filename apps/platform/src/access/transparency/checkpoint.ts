import { verify, type KeyObject } from 'node:crypto';
import type { MerkleTree } from './merkle-tree.ts';

/** The head of a log: how many leaves it has, their root, and when that was said. */
interface Head {
  /** The address of the log without its scheme, and its number: each restore of the database begins another log. */
  origin: string;
  tree: MerkleTree;
  at: Date;
}

/** A signed head, as another base shows it. */
interface ReadNote {
  text: string;
  origin: string;
  size: number;
  root: string;
  at: Date;
  signature: Buffer;
}

/** Returns the text of a head that is signed: a checkpoint of C2SP tlog-checkpoint, with the time as an extension line. */
export const checkpointText = ({ origin, tree, at }: Head): string =>
  `${origin}\n${tree.size}\n${tree.root().toString('base64')}\ntime ${at.toISOString()}\n`;

/**
 * Returns the text with its signature (C2SP signed-note). Before the signature stand the first four bytes of the thumbprint of its key,
 * which is its `kid` in the key set of the front door. The signature is that of a JWS with ES256 over the text.
 */
export function signedNote(text: string, { origin }: Pick<Head, 'origin'>, { kid, signature }: { kid: string; signature: string }): string {
  const keyId = Buffer.from(kid, 'base64url').subarray(0, 4);
  return `${text}\n— ${origin} ${Buffer.concat([keyId, Buffer.from(signature, 'base64url')]).toString('base64')}\n`;
}

const BASE64 = '[A-Za-z0-9+/=]';
const TIME = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;
const NOTE = new RegExp(String.raw`^((\S{1,300})\n(\d{1,15})\n(${BASE64}{44})\ntime (${TIME})\n)\n— (\S{1,300}) (${BASE64}{92})\n$`);

/** Reads a signed head; undefined for any other text. The signature is not checked yet. */
export function readNote(note: string): ReadNote | undefined {
  const [, text = '', origin = '', size, root = '', time = '', signer, signature = ''] = NOTE.exec(note) ?? [];
  const at = new Date(time);
  if (signer !== origin || Number.isNaN(at.getTime())) return undefined;
  return { text, origin, size: Number(size), root, at, signature: Buffer.from(signature, 'base64').subarray(4) };
}

/** Whether a key signed the head. */
export const isSignedBy = ({ text, signature }: ReadNote, key: KeyObject): boolean =>
  verify('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, signature);
