import { AUDIT } from '../audit/index.ts';
import type { Capability, Followed } from '../../kit/capability.ts';
import { LiveVariable } from '@codase/runtime/config';
import { FrontDoorConfig, RegionConfig } from '../../kit/config.ts';
import { AccountsAndGrants1763164800003 } from '../../migrations/front-door/1763164800003-accounts-and-grants.ts';
import { ProfilesAndServices1763164800002 } from '../../migrations/region/1763164800002-profiles-and-services.ts';
import { AccountsAndServices1763164800004 } from '../../migrations/region/1763164800004-accounts-and-services.ts';
import { HomeLock1763164800011 } from '../../migrations/region/1763164800011-home-lock.ts';
import { SettledBeforeLeaving1763164800013 } from '../../migrations/region/1763164800013-settled-before-leaving.ts';
import { HoldHome1763164800084 } from '../../migrations/region/1763164800084-hold-home.ts';
import { HomeWithoutWaiting1763164800089 } from '../../migrations/region/1763164800089-home-without-waiting.ts';
import { DeletedAccounts1763164800034 } from '../../migrations/region/1763164800034-deleted-accounts.ts';
import { liveKeyList, type ListedKey } from '../../kit/secrets/key-list.ts';
import { STORED_SECRETS, StoredSecrets } from '../../kit/secrets/stored-secrets.ts';
import { BASES } from './bases.ts';
import { FrontDoorRequests } from './front-door-requests.service.ts';
import { Home, HOMES } from './home.service.ts';
import { MODES, MODE_ROWS, Modes } from './modes/modes.service.ts';
import { ModeSwitchBus } from './modes/mode-switch.bus.ts';
import { ModeSwitch, setModesAgain } from './modes/mode-switch.service.ts';
import { OwnMode } from './modes/own-mode.service.ts';
import { ProfilesStore } from './profiles.store.ts';
import { RegionModeEntity } from './modes/region-mode.entity.ts';
import { ProfileEntity, DeletedAccountEntity, MoveTurnEntity } from './profile.entity.ts';

const FOLLOWED_MODES: Followed = { table: MODES, as: MODE_ROWS, check: 'modes' };

const bases = ({ FRONT_DOOR_URL, REGIONS }: FrontDoorConfig | RegionConfig) => ({
  providers: [{ provide: BASES, useValue: { front_door_url: FRONT_DOOR_URL, regions: REGIONS } }],
});

/** Provides the store of secrets, which are sealed under a key of the front door or of the region. @gap D1-2.9 */
function configureBase(config: FrontDoorConfig | RegionConfig, keys: LiveVariable<readonly ListedKey[]>, base: string) {
  const stored = { provide: STORED_SECRETS, useValue: new StoredSecrets(keys) };
  return { providers: [...bases(config).providers, stored], keys: [liveKeyList(`stored_secrets_key.${base}`, keys)] };
}

const configureFrontDoor = (config: FrontDoorConfig) =>
  configureBase(config, LiveVariable.of(FrontDoorConfig, config, 'STORED_SECRETS_KEY'), 'front-door');
const configureRegion = (config: RegionConfig) =>
  configureBase(config, LiveVariable.of(RegionConfig, config, 'STORED_SECRETS_KEY'), config.REGION);

/** The bases that callers are sent to, the modes of the regions, and which users live in which region. @spec D1-5.6 @spec D1-7 */
export const REGIONS: Capability = {
  name: 'regions',
  uses: [AUDIT],
  tables: {
    frontDoor: [RegionModeEntity],
    region: [
      { entity: ProfileEntity, moves: { owner: 'user_id', key: 'user_id', onArrival: { home: 'arriving', moving_to: null } } },
      { entity: MoveTurnEntity, stays: 'what this region heard of moves' },
      { entity: DeletedAccountEntity, stays: 'every region has a row for each account that was deleted' },
    ],
  },
  afterRestore: {
    frontDoor: { first: [setModesAgain], covers: ['mode.changed'] },
    region: { nothing: 'the homes of the copy are compared by identity, which knows the accounts' },
  },
  migrations: {
    frontDoor: [AccountsAndGrants1763164800003],
    region: [
      ProfilesAndServices1763164800002,
      AccountsAndServices1763164800004,
      HomeLock1763164800011,
      SettledBeforeLeaving1763164800013,
      DeletedAccounts1763164800034,
      HoldHome1763164800084,
      HomeWithoutWaiting1763164800089,
    ],
  },
  publishes: [MODES],
  parts: {
    'front-door': { bus: [ModeSwitchBus], providers: [Modes, ModeSwitch], follows: [FOLLOWED_MODES], configure: configureFrontDoor },
    region: {
      providers: [Modes, OwnMode, ProfilesStore, FrontDoorRequests, Home, { provide: HOMES, useExisting: Home }],
      follows: [FOLLOWED_MODES],
      configure: configureRegion,
    },
    delivery: { providers: [Modes], follows: [FOLLOWED_MODES] },
  },
};
