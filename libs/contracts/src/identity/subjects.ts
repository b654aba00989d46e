import { z } from 'zod';
import { Done, frontDoorSubject, ofUser, operatorSubject } from '../core/platform-subjects.ts';
import { Region } from '../core/region.ts';
import { PublicKey } from '../core/sealed.ts';
import { CustomerType, Id, ShareCode } from '../core/text.ts';
import { Account, Level } from './shapes.ts';

/** Who has a share code, anywhere. */
export const ShareCodeHolder = z.object({ user_id: Id, type: CustomerType, region: Region, public_key: PublicKey });

/** Asked of the front door about accounts. */
export const identitySubjects = {
  accountOf: frontDoorSubject('account_of', ofUser, Account),
  whoHas: frontDoorSubject('who_has', z.strictObject({ share_code: ShareCode }), ShareCodeHolder),
  /** The stored hash, for a route that asks for the password once more. */
  passwordHash: frontDoorSubject('password_hash', ofUser, z.object({ password_hash: z.string().nullable() })),
} as const;

/** Asked of the front door by an operator alone. */
export const identityOperatorSubjects = {
  setLevel: operatorSubject('set_level', ofUser.extend({ level: Level }), Done),
} as const;
