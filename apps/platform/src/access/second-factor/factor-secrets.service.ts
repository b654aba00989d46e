import { createHmac, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { BACKUP_CODES } from '@codase/contracts';
import { equalSecrets, newTotpSecret, randomCode, totpCode, totpStep } from '@codase/crypto';
import { STORED_SECRETS, StoredSecrets } from '../../kit/secrets/stored-secrets.ts';
import type { SecondFactorEntity } from './second-factor.entity.ts';

/** How many steps before and after the present one are accepted, because clocks differ and typing takes a while. @gap D1-5.8 */
const WINDOW = 1;
const BACKUP_CODE = { length: 10, alphabet: '23456789ABCDEFGHJKLMNPQRSTUVWXYZ' };

/** What is needed to open the secrets of a second factor. */
type SealedFactor = Pick<SecondFactorEntity, 'sealed_secrets' | 'user_id'>;

/** Whether a code is one of an authenticator, and not a backup code. */
export const isAuthenticatorCode = (code: string): boolean => /^\d{6}$/.test(code);

/**
 * Makes and opens the secrets of second factors: that of the authenticator, and the key under which backup codes are hashed. They are
 * stored encrypted, so the database alone shows no code.
 */
@Injectable()
export class FactorSecrets {
  constructor(@Inject(STORED_SECRETS) private readonly stored: StoredSecrets) {}

  /** Makes the secrets of a new authenticator. */
  make(user_id: string): { totp: string; sealed_secrets: string } {
    const totp = newTotpSecret();
    return { totp, sealed_secrets: this.stored.seal({ totp, backup: randomBytes(32).toString('base64url') }, user_id) };
  }

  /** Returns the step whose code this is, if it is one that is accepted now. Each is compared, in constant time. */
  async stepOf(factor: SecondFactorEntity, code: string, now: Date): Promise<number | undefined> {
    const { totp } = this.open(factor);
    const present = totpStep(now);
    const steps = Array.from({ length: 2 * WINDOW + 1 }, (_, n) => present - WINDOW + n);
    const matches = await Promise.all(steps.map(async (step) => equalSecrets(code, await totpCode(totp!, step))));
    return steps.find((_, n) => matches[n]);
  }

  /** Makes backup codes, and the hashes to store of them. */
  makeBackupCodes(factor: SecondFactorEntity): { codes: string[]; hashes: string[] } {
    const codes = new Set<string>();
    while (codes.size < BACKUP_CODES) codes.add(randomCode(BACKUP_CODE.length, BACKUP_CODE.alphabet));
    return { codes: [...codes], hashes: [...codes].map((code) => this.hashBackupCode(factor, code)) };
  }

  hashBackupCode(factor: SecondFactorEntity, code: string): string {
    return createHmac('sha256', this.open(factor).backup!).update(code, 'utf8').digest('base64url');
  }

  /** Seals the secrets anew under the key that writes now. The caller knows that a key opens them. */
  reseal(factor: SecondFactorEntity): string {
    return this.stored.seal(this.open(factor), factor.user_id);
  }

  /** Whether a key of the list opens the secrets. */
  isReadable(factor: SealedFactor): boolean {
    try {
      this.open(factor);
      return true;
    } catch {
      return false; // the error says nothing more
    }
  }

  isCurrent({ sealed_secrets }: SecondFactorEntity): boolean {
    return this.stored.isCurrent(sealed_secrets);
  }

  /** Opens the secrets. Throws when no key of the list does. */
  open({ sealed_secrets, user_id }: SealedFactor): Record<string, string> {
    return this.stored.open(sealed_secrets, user_id);
  }
}
