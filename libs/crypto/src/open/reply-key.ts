import { generateKeyPair } from '../service-key.ts';
import { KeyPool } from './key-pool.ts';
import { randomSubstituteKey } from './substitute-key.ts';
import type { ValuePrivateKey } from './value-wrapper.ts';

/** A key pair for one answer. The public half goes out with the question; the private half cannot leave this process. @spec D2-4.5 */
export interface ReplyKey {
  reply_key: string;
  privateKey: ValuePrivateKey;
}

/** Creates an RSA-2048 key pair, to which a plugin seals its reply. @spec D2-4.5 */
export async function createReplyKey(): Promise<ReplyKey> {
  const { public_key, privateKey } = await generateKeyPair({ extractable: false });
  return { reply_key: public_key, privateKey: new KeyPool([privateKey], await randomSubstituteKey()) as ValuePrivateKey };
}
