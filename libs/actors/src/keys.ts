import { importValuePublicKey, sealValue } from '@cds/crypto';
import { importValuePrivateKey, openValue, readPrivateKeyPem } from '@cds/crypto/open';

/** An owner of keys: the public half is known to all, the private half opens with its passphrase. */
export interface Keys {
  public_key: string;
  pem: string;
  passphrase: string;
}

/** Whoever can be sealed to. */
export type Recipient = Pick<Keys, 'public_key'>;

/** Opens what somebody sealed to the owner of the keys. */
export const opens = async ({ pem, passphrase }: Keys, wrapper: string): Promise<string> =>
  openValue(await importValuePrivateKey(await readPrivateKeyPem(pem, passphrase)), wrapper);

/** Seals a text so that only the recipient can open it. */
export const seals = async ({ public_key }: Recipient, text: string): Promise<string> =>
  sealValue(await importValuePublicKey(public_key), text);
