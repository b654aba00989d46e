import { z } from 'zod';
import { expects, fails } from '../core/fails.ts';
import { named } from '../core/named.ts';
import { Region } from '../core/region.ts';
import { EncryptedPrivateKey, encryptedPrivateKeyOr, PublicKey, publicKeyOr } from '../core/sealed.ts';
import { CustomerType, documentedAs, emailOr, Id, Line, TEXT, Timestamp, withoutGroups } from '../core/text.ts';
import { PASSWORD_CHARS } from './limits.ts';

/** The level that an account pays for, from the lowest to the highest. @gap D1-4.5 */
export const Level = z.enum(['free', 'basic', 'pro', 'business']);
export type Level = z.infer<typeof Level>;

const weak = fails('account.password_weak');
/** How long a code is as it is typed, with blanks and hyphens. */
const CODE_CHARS = 32;
const CODE = documentedAs(/^[ -]*([0-9A-Za-z][ -]*){6,10}$/, /^[0-9A-Z]{6,10}$/);
/** A new password. Text with a NUL or with half of a character is another one once it was encoded, and would never be right. @gap D1-5 */
export const NewPassword = z
  .string(weak)
  .min(PASSWORD_CHARS.least, weak)
  .max(PASSWORD_CHARS.most, weak)
  .regex(TEXT, fails('account.password_weak', 'must hold no NUL (U+0000) and no half of a surrogate pair (U+D800 to U+DFFF)'));
/** A password to check. One that is longer than passwords are is wrong. @gap D1-5 */
export const Password = z.string().max(PASSWORD_CHARS.most, fails('account.password_wrong'));
/** A code from a mail or an authenticator. Blanks, hyphens and small letters make no difference: people type it. @gap D1-5 */
export const Code = z
  .string(fails('account.code_invalid'))
  .max(CODE_CHARS, fails('account.code_invalid'))
  .overwrite(withoutGroups)
  .regex(CODE, fails('account.code_invalid'));
/** The languages of profiles, texts and templates. @gap D2-4.3 */
export const Language = z.string().regex(/^[a-z]{2,3}(-[A-Z]{2})?$/, expects('must be the code of a language, as en or pt-BR'));

/** The key pair of an account: the private half arrives already encrypted. @gap D1-5 */
export const AccountKeys = named('AccountKeys', z.object({ public_key: PublicKey, encrypted_private_key: EncryptedPrivateKey }));
/** The key pair of an account, as it is sent. */
export const NewAccountKeys = z.strictObject({
  public_key: publicKeyOr('account.key_invalid'),
  encrypted_private_key: encryptedPrivateKeyOr('account.key_invalid'),
});

/** @gap D1-5 */
export const NewAccount = NewAccountKeys.extend({
  type: CustomerType,
  email: emailOr('account.email_invalid'),
  password: NewPassword,
  display_name: Line,
  language: Language.default('en'),
  region: Region,
});

/** The answer to a sign-up. The id is for the person who signed up: together with the mailed code it makes the account. @gap D1-5 */
export const SignUpBegun = named('SignUpBegun', z.object({ sign_up_id: Id, confirm_by: Timestamp }));

/** @spec D1-5.8 @gap D1-5 */
export const Account = named(
  'Account',
  z.object({
    user_id: Id,
    type: CustomerType,
    email: z.string(),
    level: Level,
    region: Region,
    api_url: z.url(),
    created_at: Timestamp,
  }),
);

/** A code beside the password, for an account whose second factor is on. Other accounts need none. @gap D1-5.8 */
const code = Code.optional().describe('A code of the authenticator, or a backup code: needed when the second factor is on');
/** A new password, with the one that it replaces. @gap D1-5.8 */
export const NewCredentials = z.strictObject({ password: Password, new_password: NewPassword, code });
/** A new e-mail address, with the password of the account. @gap D1-5.8 */
export const NewEmail = z.strictObject({ password: Password, email: emailOr('account.email_invalid'), code });
/** The first step of a change of the e-mail address: a code was mailed to the new one. @gap D1-5.8 */
export const EmailChangeRequested = named('EmailChangeRequested', z.object({ confirm_by: Timestamp }));

/** Whether a code is asked for at sign-in after the password. @gap D1-5.8 */
export const SecondFactor = named('SecondFactor', z.object({ enabled: z.boolean(), backup_codes_left: z.int().min(0) }));
/** A new authenticator: its address has the secret. It waits for its first code until `confirm_by`. @gap D1-5.8 */
export const NewAuthenticator = named('NewAuthenticator', z.object({ otpauth_url: z.string(), confirm_by: Timestamp }));
/** Codes that each work once in place of a code of the authenticator. @gap D1-5.8 */
export const BackupCodes = named('BackupCodes', z.object({ backup_codes: z.array(z.string()) }));
/** The password that a user gives once more, with a code where the second factor is on. @gap D1-5.8 */
export const PasswordAgain = z.strictObject({ password: Password, code });
/** The password and the code that was mailed, with a code of the second factor where that is on. @gap D1-5.1 */
export const PasswordAndMailedCode = z.strictObject({
  password: Password,
  code: Code.describe('The code that was mailed'),
  second_factor_code: code,
});
/** The password of the account with a code of its second factor. @gap D1-5.8 */
export const PasswordAndCode = z.strictObject({ password: Password, code: Code });

/** The first step of a deletion: a code was mailed. @gap D1-5.8 */
export const DeletionRequested = named('DeletionRequested', z.object({ confirm_by: Timestamp }));

/** @spec D1-5.8 @gap D1-5 */
export const TrustedDevice = named('TrustedDevice', z.object({ id: Id, name: z.string(), created_at: Timestamp, last_seen_at: Timestamp }));

/** A device with a key of its own, which a sign-in registered. @gap D1-5 */
export const Device = named(
  'Device',
  z.object({ id: Id, name: z.string(), jkt: z.string(), created_at: Timestamp, last_used_at: Timestamp }),
);

/** What a recovery copy is a copy of. @spec D1-5.1 @spec D1-5.9 */
export const RecoveryKind = z.enum(['client_secret', 'service_passphrase', 'webhook_secret', 'app_secret']);
export type RecoveryKind = z.infer<typeof RecoveryKind>;
/** What the password and the mailed code are given for: to open a copy, or to delete the key with all copies. @gap D1-5.1 */
export const RecoveryAct = z.enum(['recover', 'reset']);
export type RecoveryAct = z.infer<typeof RecoveryAct>;
/** A code was mailed that opens recovery copies for some minutes. @gap D1-5.1 */
export const RecoveryCodeSent = named('RecoveryCodeSent', z.object({ expires_at: Timestamp }));
/** A copy of a secret, sealed to the company's recovery key. It is listed without the secret. @spec D1-5.1 @gap D1-5.1 */
export const RecoveryCopy = named('RecoveryCopy', z.object({ id: Id, kind: RecoveryKind, subject_id: z.string(), created_at: Timestamp }));
