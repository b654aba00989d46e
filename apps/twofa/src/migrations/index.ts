import { Outcomes1763164800001 } from './1763164800001-outcomes.ts';

export const TWOFA_MIGRATIONS = [Outcomes1763164800001];
