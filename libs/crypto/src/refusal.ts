const MESSAGES = {
  envelope: 'This envelope does not open: it is damaged, for another key, or of another kind. Ask its sender to seal it again.',
  private_key: 'This private key does not open: check the passphrase, and that this is all of it: an encrypted PKCS#8 key, RSA-2048.',
  public_key: 'This is not a usable public key: give the base64 of the DER SubjectPublicKeyInfo of an RSA-2048 key with exponent 65537.',
  plaintext: 'This text cannot be sealed: give well-formed Unicode text or bytes of at most 64 MiB.',
  secret: 'This secret cannot be used: give 1 to 16,384 characters of well-formed text, or for a one-time key the base64 of 32 bytes.',
} as const;

/** What was refused. There is no finer kind, so that no caller can learn which step of opening failed. @gap D1-2.3 */
export type RefusalKind = keyof typeof MESSAGES;

/** The only error with which this package refuses: a kind and a fixed sentence, never a cause, never a part of the input. @gap D1-2.3 */
export class CryptoRefusal extends Error {
  override readonly name = 'CryptoRefusal';

  constructor(readonly kind: RefusalKind) {
    super(MESSAGES[kind]);
  }
}

/** Input that does not have the expected form. Stays inside the package: `refusing` turns it into a refusal. */
export class Malformed extends Error {}

/** Runs `work`. Any fault in it becomes the same refusal, thrown from this one place. */
export async function refusing<T>(kind: RefusalKind, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch {
    throw new CryptoRefusal(kind);
  }
}
