import { Registry1763164800001 } from './front-door/1763164800001-registry.ts';
import { AccountsAndGrants1763164800003 } from './front-door/1763164800003-accounts-and-grants.ts';
import { ProfilesAndServices1763164800002 } from './region/1763164800002-profiles-and-services.ts';
import { AccountsAndServices1763164800004 } from './region/1763164800004-accounts-and-services.ts';
import { Feed1763164800005 } from './region/1763164800005-feed.ts';
import { Connections1763164800006 } from './region/1763164800006-connections.ts';
import { Delivery1763164800007 } from './region/1763164800007-delivery.ts';
import { Mail1763164800008 } from './region/1763164800008-mail.ts';
import { SlotMoments1763164800009 } from './region/1763164800009-slot-moments.ts';
import { Parcels1763164800010 } from './region/1763164800010-parcels.ts';
import { HomeLock1763164800011 } from './region/1763164800011-home-lock.ts';

export const FRONT_DOOR_MIGRATIONS = [Registry1763164800001, AccountsAndGrants1763164800003];
export const REGION_MIGRATIONS = [
  ProfilesAndServices1763164800002,
  AccountsAndServices1763164800004,
  Feed1763164800005,
  Connections1763164800006,
  Delivery1763164800007,
  Mail1763164800008,
  SlotMoments1763164800009,
  Parcels1763164800010,
  HomeLock1763164800011,
];
