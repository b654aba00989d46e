import { auditOperatorSubjects } from './audit/subjects.ts';
import { clientOperatorSubjects, clientSubjects } from './clients/subjects.ts';
import { deletionSubjects, identityOperatorSubjects, identitySubjects } from './identity/subjects.ts';
import { profileSubjects } from './people/subjects.ts';
import { homeSubjects, moveSubjects, regionOperatorSubjects } from './regions/subjects.ts';
import { registryOperatorSubjects } from './registry/subjects.ts';
import { sealSubjects } from './seals/subjects.ts';
import { tokenOperatorSubjects, tokenSubjects } from './tokens/subjects.ts';
import { enrolmentSubjects } from './twofa/region-subjects.ts';
import { webhookOperatorSubjects } from './webhooks/subjects.ts';

export { OPERATOR_PREFIX } from './core/platform-subjects.ts';

/** All that is asked of the front door. */
export const FRONT_DOOR = { ...identitySubjects, ...homeSubjects, ...clientSubjects, ...tokenSubjects, ...sealSubjects } as const;

/** All that an operator alone asks. */
export const OPERATOR = {
  ...auditOperatorSubjects,
  ...regionOperatorSubjects,
  ...identityOperatorSubjects,
  ...clientOperatorSubjects,
  ...registryOperatorSubjects,
  ...tokenOperatorSubjects,
  ...webhookOperatorSubjects,
} as const;

/** All that the front door asks of a region; rows of a company go from its old region to its new one. */
export const REGION = { ...profileSubjects, ...moveSubjects, ...enrolmentSubjects, ...deletionSubjects } as const;
