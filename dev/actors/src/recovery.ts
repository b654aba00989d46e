import { recovery, type Output, type RecoveryKind } from '@codase/contracts';
import { createAccountKey, type ProtectedKey } from '@codase/crypto';
import { importValuePrivateKey, openEncryptedPrivateKey, openValue } from '@codase/crypto/open';
import { seals } from './keys.ts';
import { Facet } from './stranger.ts';

type Copy = Output<typeof recovery.storeRecoveryCopy>;
type Recovered = Output<typeof recovery.recoverSecret>;

/** The password of the account, and the code from the mail. */
interface Proof {
  password: string;
  code: string;
}

/** What a company does so that a secret which is shown once can be recovered. Its account clients store copies too. @spec D1-5.1 */
export class Recovery extends Facet {
  /** Makes a recovery key under a passphrase. Only the public half and the wrapped private half are sent. */
  async makesKey(passphrase: string): Promise<void> {
    await this.setsKey(await createAccountKey(passphrase));
  }

  setsKey({ public_key, encrypted_private_key }: ProtectedKey): Promise<unknown> {
    const { salt, iv, data } = encrypted_private_key;
    return this.actor.asks(recovery.setRecoveryKey, {
      body: { public_key, encrypted_private_key: { iter: 100_000, salt, iv, data } },
    });
  }

  /** Seals a secret to the recovery key and stores the copy. */
  async keeps(kind: RecoveryKind, subject_id: string, secret: string): Promise<Copy> {
    const value = await seals(await this.actor.asks(recovery.readRecoveryKey, {}), secret);
    return this.actor.asks(recovery.storeRecoveryCopy, { body: { kind, subject_id, value } });
  }

  async lists(): Promise<Copy[]> {
    return (await this.actor.asks(recovery.listRecoveryCopies, { query: {} })).items;
  }

  asksCode(): Promise<Output<typeof recovery.sendRecoveryCode>> {
    return this.actor.asks(recovery.sendRecoveryCode, {});
  }

  /** Gets a copy back, which is still sealed. */
  recovers({ id }: Pick<Copy, 'id'>, { password, code }: Proof): Promise<Recovered> {
    return this.actor.asks(recovery.recoverSecret, { params: { copyId: id }, body: { password, code } });
  }

  /** Opens a copy with the passphrase of the recovery key, as the portal's page does. */
  async opens({ value, encrypted_private_key }: Recovered, passphrase: string): Promise<string> {
    return openValue(await importValuePrivateKey(await openEncryptedPrivateKey(encrypted_private_key, passphrase)), value);
  }

  resets({ password, code }: Proof): Promise<unknown> {
    return this.actor.asks(recovery.resetRecoveryKey, { body: { password, code } });
  }
}
