import { z } from 'zod';
import { Done, operatorSubject } from '../core/platform-subjects.ts';
import { KEY_OVERLAP_DAYS } from './limits.ts';
import { NewProviderKey, NewVerificationProvider, ProviderId, VerificationProvider } from './shapes.ts';

const ofProvider = z.strictObject({ provider_id: ProviderId });

/** Subjects that only an operator asks, and the front door answers. @gap D1-2.7 */
export const verificationOperatorSubjects = {
  /** Registers a provider. Its id is never given to another one while it stands. */
  addVerificationProvider: operatorSubject('add_verification_provider', NewVerificationProvider, Done),
  listVerificationProviders: operatorSubject(
    'list_verification_providers',
    z.strictObject({}),
    z.object({ providers: z.array(VerificationProvider) }),
  ),
  /** Adds a key. The other keys sign on for some days; what they signed stays verified. */
  rotateVerificationKey: operatorSubject(
    'rotate_verification_key',
    ofProvider.extend({ key: NewProviderKey, overlap_days: z.int().min(0).max(KEY_OVERLAP_DAYS.most).default(KEY_OVERLAP_DAYS.usual) }),
    Done,
  ),
  /** Removes a key that came into wrong hands: nothing that it signed is verified any more. */
  revokeVerificationKey: operatorSubject('revoke_verification_key', ofProvider.extend({ kid: z.string().max(128) }), Done),
  /** Removes a provider: nothing that it attested is verified any more. */
  removeVerificationProvider: operatorSubject('remove_verification_provider', ofProvider, Done),
} as const;
