import { auditOperatorSubjects, auditRegionSubjects, auditSubjects } from './audit/subjects.ts';
import { clientOperatorSubjects, clientSubjects, signInSubjects } from './clients/subjects.ts';
import { deletionSubjects, identityOperatorSubjects, identitySubjects } from './identity/subjects.ts';
import { profileSubjects } from './people/subjects.ts';
import { homeSubjects, moveSubjects, regionOperatorSubjects } from './regions/subjects.ts';
import { registryOperatorSubjects } from './registry/subjects.ts';
import { sealSubjects } from './seals/subjects.ts';
import { tokenOperatorSubjects, tokenSubjects } from './tokens/subjects.ts';
import { enrolmentSubjects } from './twofa/region-subjects.ts';
import { verificationOperatorSubjects } from './verification/subjects.ts';
import { webhookOperatorSubjects } from './webhooks/subjects.ts';

export { nameOfPeer, peerRead, peerWrite, userSpokenFor, type PeerSubject } from './core/peer-subjects.ts';
export { OPERATOR_PREFIX } from './core/platform-subjects.ts';

/** All subjects that regions ask, and the front door answers. */
export const FRONT_DOOR = {
  ...identitySubjects,
  ...homeSubjects,
  ...clientSubjects,
  ...tokenSubjects,
  ...sealSubjects,
  ...auditSubjects,
} as const;

/** All subjects that only an operator asks. */
export const OPERATOR = {
  ...auditOperatorSubjects,
  ...regionOperatorSubjects,
  ...identityOperatorSubjects,
  ...clientOperatorSubjects,
  ...registryOperatorSubjects,
  ...tokenOperatorSubjects,
  ...verificationOperatorSubjects,
  ...webhookOperatorSubjects,
} as const;

/**
 * All subjects that the front door asks, and a region answers. With some of them, a company's old region sends its rows to the new region.
 */
export const REGION = {
  ...profileSubjects,
  ...moveSubjects,
  ...enrolmentSubjects,
  ...deletionSubjects,
  ...signInSubjects,
  ...auditRegionSubjects,
} as const;
