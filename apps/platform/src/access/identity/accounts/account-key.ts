import { PUBLIC_KEY_FORM, Refusal } from '@codase/contracts';
import { CryptoRefusal, readPublicKey } from '@codase/crypto';

/** Refuses a public key that is not exactly an RSA-2048 key: what is sealed to it could never be opened. @spec D1-2.4 */
export async function checkAccountKey(public_key: string): Promise<void> {
  await readPublicKey(public_key).catch((error: unknown) => {
    throw error instanceof CryptoRefusal ? new Refusal('account.key_invalid').because(`public_key: ${PUBLIC_KEY_FORM}`) : error;
  });
}
