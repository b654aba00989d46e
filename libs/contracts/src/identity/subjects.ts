import { z } from 'zod';
import { Done, frontDoorSubject, ofUser, operatorRegionSubject, operatorSubject, regionSubject } from '../core/platform-subjects.ts';
import { Region } from '../core/region.ts';
import { PublicKey } from '../core/sealed.ts';
import { idempotent } from '../core/subjects.ts';
import { CustomerType, Id, Line, ShareCode, Timestamp } from '../core/text.ts';
import {
  Account,
  Code,
  DeletionRequested,
  EmailChangeRequested,
  Level,
  RecoveryAct,
  RecoveryCodeSent,
  SecondFactor,
  TrustedDevice,
} from './shapes.ts';

/**
 * A request for which the front door checks the password of the user, who gave it from this address. The password is sealed to one process
 * of the front door, for this use alone.
 */
const byPassword = (most: number) => ofUser.extend({ address: z.string().max(64), sealed: z.string().max(most) });

/** The same, with a code of the second factor where that is on. The code is sealed to that process too. */
const byPasswordAgain = byPassword(8192).extend({ sealed_code: z.string().max(1024).optional() });

/** How long a password is that was sealed with a code as JSON, in which some characters take six bytes. */
const SEALED_WITH_CODE = 12_288;

/** The key of one request, to which the front door seals a secret that it answers: whoever reads the bus learns nothing. */
const reply_key = z.string().regex(/^[\w-]{43}$/);
const SealedReply = z.object({ sealed: z.string() });

const TrustedDevices = z.object({ items: z.array(TrustedDevice) });

/** The user who has a share code, in any region. */
export const ShareCodeHolder = z.object({ user_id: Id, type: CustomerType, region: Region, public_key: PublicKey });

/** A mail as development shows it, with its code when it has one. */
export const ShownMail = z.object({
  to: z.string(),
  at: Timestamp,
  subject: z.string(),
  text: z.string(),
  sign_up_id: z.string().optional(),
  service_id: z.string().optional(),
  code: z.string().optional(),
});

/** Subjects about accounts, which the front door answers. */
export const identitySubjects = {
  accountOf: idempotent(frontDoorSubject('account_of', ofUser, Account)),
  whoHas: idempotent(frontDoorSubject('who_has', z.strictObject({ share_code: ShareCode }), ShareCodeHolder)),
  /**
   * The companies of the asking region whose level no longer includes contract flows, in the order of their ids, and since when. @spec D2-8
   */
  listLapsed: idempotent(
    frontDoorSubject(
      'list_lapsed',
      z.strictObject({ after: z.string().max(64), limit: z.int().min(1).max(1000) }),
      z.object({
        lapsed: z.array(z.object({ user_id: Id, without_flows_since: Timestamp, free_since: Timestamp.nullable() })),
      }),
    ),
  ),
  /** The key of one process of the front door. A password that a route of a region asks for once more is sealed to it. */
  passwordKey: idempotent(frontDoorSubject('password_key', z.strictObject({}), z.object({ replica: z.string(), public_key: z.string() }))),
  /** Checks the password of a user, who gave it from this address. */
  checkPassword: frontDoorSubject('check_password.{replica}', byPasswordAgain, Done),
  /** Changes the password, which is sealed with the present one and a code, and ends all sessions but the caller's. @gap D1-5.8 */
  changePassword: frontDoorSubject('change_password.{replica}', byPassword(24_576).extend({ session_id: Id.optional() }), Done),
  /**
   * Mails a code to a new address. The password travels with the request, and a code of the second factor with it: the mail goes to an
   * address that nobody has confirmed, so the word of a region that the password was right would not do. @gap D1-5.8
   */
  requestEmailChange: frontDoorSubject(
    'request_email_change.{replica}',
    byPassword(SEALED_WITH_CODE).extend({ email: z.string().max(254) }),
    EmailChangeRequested,
  ),
  /** Changes the address when the mailed code is right. @gap D1-5.8 */
  confirmEmailChange: frontDoorSubject('confirm_email_change', ofUser.extend({ code: Code }), Done),
  /** Mails a code with which the user can recover secrets. @gap D1-5.1 */
  sendRecoveryCode: frontDoorSubject('send_recovery_code', ofUser, RecoveryCodeSent),
  /**
   * Refuses a recovery unless the password and the mailed code are right. The front door alone judges, and tells the owner. `object` is the
   * recovery copy, or for a reset the user. @spec D1-5.1 @gap D1-5.1
   */
  judgeRecovery: frontDoorSubject('judge_recovery.{replica}', byPasswordAgain.extend({ code: Code, act: RecoveryAct, object: Id }), Done),
  /** @gap D1-5.8 */
  readSecondFactor: idempotent(frontDoorSubject('read_second_factor', ofUser, SecondFactor)),
  /** Makes a secret for an authenticator, and answers it sealed to the key of the request. @gap D1-5.8 */
  beginSecondFactor: frontDoorSubject('begin_second_factor.{replica}', byPassword(8192).extend({ reply_key }), SealedReply),
  /** Switches the second factor on with the sealed first code, and answers the backup codes in the same way. @gap D1-5.8 */
  confirmSecondFactor: frontDoorSubject('confirm_second_factor.{replica}', byPassword(8192).extend({ reply_key }), SealedReply),
  /** Makes new backup codes. The password is sealed together with a code. @gap D1-5.8 */
  renewBackupCodes: frontDoorSubject('renew_backup_codes.{replica}', byPassword(SEALED_WITH_CODE).extend({ reply_key }), SealedReply),
  /** Switches the second factor off. The password is sealed together with a code. @gap D1-5.8 */
  endSecondFactor: frontDoorSubject('end_second_factor.{replica}', byPassword(SEALED_WITH_CODE), Done),
  /** The browsers that are not asked for a code. @gap D1-5.8 */
  listTrustedBrowsers: idempotent(frontDoorSubject('list_trusted_browsers', ofUser, TrustedDevices)),
  forgetTrustedBrowser: frontDoorSubject('forget_trusted_browser', ofUser.extend({ device_id: Id }), Done),
  /** The phones of a person, each by the session that registered it. @gap D1-5.8 */
  listPhones: idempotent(frontDoorSubject('list_phones', ofUser, TrustedDevices)),
  addPhone: idempotent(frontDoorSubject('add_phone', ofUser.extend({ session_id: Id, name: Line }), TrustedDevice)),
  /** Ends the session of a phone too. */
  removePhone: frontDoorSubject('remove_phone', ofUser.extend({ device_id: Id }), Done),
  /** Mails a code to a user whose password was right. */
  requestDeletion: frontDoorSubject('request_deletion', ofUser, DeletionRequested),
  /** Deletes the account when the mailed code is right. The front door completes the deletion in every region. */
  confirmDeletion: frontDoorSubject('confirm_deletion', ofUser.extend({ code: Code }), Done),
} as const;

/** Sent by the front door to every region: deletes what the region has of an account, and lets nothing of it come back. */
export const deletionSubjects = { deleteAccount: regionSubject('delete_account', ofUser.extend({ deleted_at: Timestamp }), Done) } as const;

/** The waiting mails of a region, with the codes that confirm admin e-mails. Only an operator asks for them. */
export const WAITING_REGION_MAIL = operatorRegionSubject('waiting_mail', z.strictObject({}), z.object({ mails: z.array(ShownMail) }));

/** Subjects that only an operator asks, and the front door answers. */
export const identityOperatorSubjects = {
  /** The waiting mails of the front door, when a development stack has no relay to send them. */
  waitingMail: operatorSubject('waiting_mail', z.strictObject({}), z.object({ mails: z.array(ShownMail) })),
  /** Switches the second factor of a user off, who lost the authenticator and the backup codes. @gap D1-5.8 */
  switchSecondFactorOff: operatorSubject('switch_second_factor_off', ofUser, z.object({ was_on: z.boolean() })),
  /**
   * Seals the stored secrets of the front door anew that are not under the key that writes now. Names some of the users whose second factor
   * no key opens. @gap D1-5.8
   */
  resealFrontDoorSecrets: operatorSubject(
    'reseal_secrets',
    z.strictObject({}),
    z.object({ resealed: z.int(), remaining: z.int(), unreadable: z.int(), unreadable_user_ids: z.array(z.string()) }),
  ),
  setLevel: operatorSubject('set_level', ofUser.extend({ level: Level }), Done),
} as const;
