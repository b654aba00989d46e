import { Outcomes1763164800001 } from './1763164800001-outcomes.ts';
import { Challenges1763164800002 } from './1763164800002-challenges.ts';

export const TWOFA_MIGRATIONS = [Outcomes1763164800001, Challenges1763164800002];
