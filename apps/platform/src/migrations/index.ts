import { Registry1763164800001 } from './front-door/1763164800001-registry.ts';
import { AccountsAndGrants1763164800003 } from './front-door/1763164800003-accounts-and-grants.ts';
import { ProfilesAndServices1763164800002 } from './region/1763164800002-profiles-and-services.ts';
import { AccountsAndServices1763164800004 } from './region/1763164800004-accounts-and-services.ts';

export const FRONT_DOOR_MIGRATIONS = [Registry1763164800001, AccountsAndGrants1763164800003];
export const REGION_MIGRATIONS = [ProfilesAndServices1763164800002, AccountsAndServices1763164800004];
