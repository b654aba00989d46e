import type { MerkleTree } from './merkle-tree.ts';

/** The head of a log: how many leaves it has, their root, and when that was said. */
interface Head {
  /** The address of the log without its scheme, and its number: each restore of the database begins another log. */
  origin: string;
  tree: MerkleTree;
  at: Date;
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
