import { importValuePublicKey, sealValue } from '@codase/crypto';
import { importValuePrivateKey, openValue, readPrivateKeyPem } from '@codase/crypto/open';

/** A key pair: the public half is known to all, the private half opens with its passphrase. */
export interface Keys {
  public_key: string;
  pem: string;
  passphrase: string;
}

/** A user or service that values can be sealed to. */
export type Recipient = Pick<Keys, 'public_key'>;

/** The private keys that were read before. Reading one takes 100,000 rounds of hashing, so a process does it once for each key. */
const privateKeys = new Map<string, ReturnType<typeof importValuePrivateKey>>();

function privateKeyOf({ pem, passphrase }: Keys): ReturnType<typeof importValuePrivateKey> {
  const known = `${passphrase}\n${pem}`;
  const key = privateKeys.get(known) ?? readPrivateKeyPem(pem, passphrase).then((bytes) => importValuePrivateKey(bytes));
  privateKeys.set(known, key);
  return key;
}

/** Opens a value that was sealed to the owner of the keys. */
export const opens = async (keys: Keys, wrapper: string): Promise<string> => openValue(await privateKeyOf(keys), wrapper);

/** Seals a text so that only the recipient can open it. */
export const seals = async ({ public_key }: Recipient, text: string): Promise<string> =>
  sealValue(await importValuePublicKey(public_key), text);
