import { Registry1763164800001 } from './front-door/1763164800001-registry.ts';
import { ProfilesAndServices1763164800002 } from './region/1763164800002-profiles-and-services.ts';

export const FRONT_DOOR_MIGRATIONS = [Registry1763164800001];
export const REGION_MIGRATIONS = [ProfilesAndServices1763164800002];
