import { createHmac, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { BACKUP_CODES } from '@cds/contracts';
import { equalSecrets, newTotpSecret, randomCode, totpCode, totpStep } from '@cds/crypto';
import { STORED_SECRETS, StoredSecrets } from '../stored-secrets.ts';
import type { FactorRow } from './second-factors.store.ts';

/** How many steps before and after the present one are accepted, because clocks differ and typing takes a while. @gap D1-5.8 */
const WINDOW = 1;
const BACKUP_CODE = { length: 10, alphabet: '23456789ABCDEFGHJKLMNPQRSTUVWXYZ' };

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
  async stepOf(factor: FactorRow, code: string, now: Date): Promise<number | undefined> {
    const { totp } = this.open(factor);
    const present = totpStep(now);
    const steps = Array.from({ length: 2 * WINDOW + 1 }, (_, n) => present - WINDOW + n);
    const matches = await Promise.all(steps.map(async (step) => equalSecrets(code, await totpCode(totp!, step))));
    return steps.find((_, n) => matches[n]);
  }

  /** Makes backup codes, and the hashes to store of them. */
  makeBackupCodes(factor: FactorRow): { codes: string[]; hashes: string[] } {
    const codes = new Set<string>();
    while (codes.size < BACKUP_CODES) codes.add(randomCode(BACKUP_CODE.length, BACKUP_CODE.alphabet));
    return { codes: [...codes], hashes: [...codes].map((code) => this.hashBackupCode(factor, code)) };
  }

  hashBackupCode(factor: FactorRow, code: string): string {
    return createHmac('sha256', this.open(factor).backup!).update(code, 'utf8').digest('base64url');
  }

  /** Seals the secrets anew under the key that writes now. Returns undefined when no key opens them. */
  reseal({ sealed_secrets, user_id }: FactorRow): string | undefined {
    try {
      return this.stored.seal(this.stored.open(sealed_secrets, user_id), user_id);
    } catch {
      return undefined; // the error says nothing more
    }
  }

  isCurrent({ sealed_secrets }: FactorRow): boolean {
    return this.stored.isCurrent(sealed_secrets);
  }

  private open({ sealed_secrets, user_id }: FactorRow): Record<string, string> {
    return this.stored.open(sealed_secrets, user_id);
  }
}
