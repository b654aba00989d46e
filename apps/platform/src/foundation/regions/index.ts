export { REGIONS } from './capability.ts';
export { apiUrlOf, BASES, HERE, type Bases, type Here } from './bases.ts';
export {
  DELIVERY_STATES,
  notedMoveTurn,
  noteMoveTurn,
  setHome,
  homeStateOf,
  isStillArriving,
  takeHome,
  tryHoldHomes,
  writeIfHome,
  type HomeState,
} from './home-lock.store.ts';
export { holdAccount, isDeletedAccount, noteDeletedAccount, unknownDeletions } from './deleted-accounts.store.ts';
export { FrontDoorRequests } from './front-door-requests.service.ts';
export { Home, NotAtHome, HOMES, type Homes } from './home.service.ts';
export { MODES, Modes } from './modes/modes.service.ts';
export { OwnMode } from './modes/own-mode.service.ts';
export { findProfile, ProfilesStore, provisionProfile, removeProfile, type ProfileRow, type ProvisionedProfile } from './profiles.store.ts';
