import { z } from 'zod';
import { Done, frontDoorSubject, ofUser, operatorRegionSubject, operatorSubject, regionSubject } from '../core/platform-subjects.ts';
import { Region } from '../core/region.ts';
import { PublicKey } from '../core/sealed.ts';
import { idempotent } from '../core/subjects.ts';
import { CustomerType, Id, ShareCode, Timestamp } from '../core/text.ts';
import { Account, Code, DeletionRequested, Level } from './shapes.ts';

/** Who has a share code, anywhere. */
export const ShareCodeHolder = z.object({ user_id: Id, type: CustomerType, region: Region, public_key: PublicKey });

/** A mail as development shows it, with its code where it has one. */
export const ShownMail = z.object({
  to: z.string(),
  at: Timestamp,
  subject: z.string(),
  text: z.string(),
  sign_up_id: z.string().optional(),
  service_id: z.string().optional(),
  code: z.string().optional(),
});

/** Asked of the front door about accounts. */
export const identitySubjects = {
  accountOf: idempotent(frontDoorSubject('account_of', ofUser, Account)),
  whoHas: idempotent(frontDoorSubject('who_has', z.strictObject({ share_code: ShareCode }), ShareCodeHolder)),
  /** Companies of the region that asks whose level includes no contract flows any more, and since when, by their ids. @spec D2-8 */
  listLapsed: idempotent(
    frontDoorSubject(
      'list_lapsed',
      z.strictObject({ after: z.string().max(64), limit: z.int().min(1).max(1000) }),
      z.object({
        lapsed: z.array(z.object({ user_id: Id, without_flows_since: Timestamp, free_since: Timestamp.nullable() })),
      }),
    ),
  ),
  /** To whom a password is sealed that a route of a region asks for once more: one process of the front door. */
  passwordKey: idempotent(frontDoorSubject('password_key', z.strictObject({}), z.object({ replica: z.string(), public_key: z.string() }))),
  /** Whether it is the password of the user, who gave it at this address. */
  checkPassword: frontDoorSubject(
    'check_password.{replica}',
    ofUser.extend({ address: z.string().max(64), sealed: z.string().max(8192) }),
    Done,
  ),
  /** Mails a code to a user whose password was right. */
  requestDeletion: frontDoorSubject('request_deletion', ofUser, DeletionRequested),
  /** Deletes the account for the code that was mailed; the front door sees it through in every region. */
  confirmDeletion: frontDoorSubject('confirm_deletion', ofUser.extend({ code: Code }), Done),
} as const;

/** Asked of every region by the front door: to delete what it has of an account, and to let nothing of it come back. */
export const deletionSubjects = { deleteAccount: regionSubject('delete_account', ofUser.extend({ deleted_at: Timestamp }), Done) } as const;

/** The same of a region: mails with the codes that confirm admin e-mails. */
export const WAITING_REGION_MAIL = operatorRegionSubject('waiting_mail', z.strictObject({}), z.object({ mails: z.array(ShownMail) }));

/** Asked of the front door by an operator alone. */
export const identityOperatorSubjects = {
  /** Mail of the front door that waits, where a development has no relay to send it. */
  waitingMail: operatorSubject('waiting_mail', z.strictObject({}), z.object({ mails: z.array(ShownMail) })),
  setLevel: operatorSubject('set_level', ofUser.extend({ level: Level }), Done),
} as const;
