export { registerManaged, type ManagedClient } from './operator/managed-client.service.ts';
export { migratePlatform, prepareBus } from './operator/prepare.service.ts';
export { provision, type Client, type Platform, type Provision } from './operator/provision.service.ts';
export { Drains, emit, type NewEvent } from './feed/index.ts';
export { FRONT_DOOR_MIGRATIONS, REGION_MIGRATIONS } from './migrations/index.ts';
export { FrontDoorModule, prefixOf, RegionModule, ROLES, type RoleOptions } from './roles.ts';
export type { Profile, Service } from './people/index.ts';
export { CLIENTS, hashPassword, readSigningKey, signToken, VerifiedTokens, type Pepper } from './access/index.ts';
