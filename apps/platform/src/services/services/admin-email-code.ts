import { createHash } from 'node:crypto';
import { ADMIN_EMAIL_CODE_HOURS } from '@codase/contracts';
import { equalSecrets, randomCode } from '@codase/crypto';
import type { ServiceRow } from './service-row.ts';

const CODE = { length: 8, alphabet: '23456789ABCDEFGHJKLMNPQRSTUVWXYZ' };
/** The number of wrong codes after which a new code is needed. @gap D1-2.4 */
const MAX_FAILURES = 5;

type Addressed = Pick<ServiceRow, 'service_id' | 'admin_email'>;
type Coded = Addressed & Pick<ServiceRow, 'admin_email_code_hash' | 'admin_email_code_ends_at' | 'admin_email_code_failures'>;

export const newAdminEmailCode = (): string => randomCode(CODE.length, CODE.alphabet);

export const adminEmailCodeEndsAt = (now: Date): Date => new Date(now.getTime() + ADMIN_EMAIL_CODE_HOURS * 3_600_000);

/** Returns the hash of a code, bound to the service and the address: after a change an earlier code confirms nothing. */
export const adminEmailCodeHash = ({ service_id, admin_email }: Addressed, code: string): string =>
  createHash('sha256').update(`${service_id} ${admin_email.toLowerCase()} ${code}`).digest('base64url');

/** Whether a code may still be tried. */
export const takesAdminEmailCode = (service: Coded, now: Date): boolean =>
  service.admin_email_code_ends_at !== null && service.admin_email_code_ends_at > now && service.admin_email_code_failures < MAX_FAILURES;

/** Returns whether the code is right. It takes the same time for every wrong code. */
export const isAdminEmailCode = (service: Coded, code: string): Promise<boolean> =>
  equalSecrets(adminEmailCodeHash(service, code), service.admin_email_code_hash ?? '');
