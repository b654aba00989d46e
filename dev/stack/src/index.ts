/** The default stack, described once: `npm start` runs it, and the worlds of the tests open and close it. */
export { busAccounts, busPassword, natsAccounts } from './bus-accounts.ts';
export { clientSecret, DEMO, demo, newCredentials, passwordOf, privateKeyOf, type CredentialFactory } from './demo.ts';
export { createStackDatabases, roleIn, type StackDatabases } from './databases.ts';
export { demoActors } from './demo-actors.ts';
export { describeExample, EXAMPLE_DATABASE, EXAMPLE_ENTRY } from './example.ts';
export {
  DATABASES,
  entryOf,
  natsNodePorts,
  portsFrom,
  REGIONS,
  ROOT,
  UNIT_NAMES,
  type DatabaseName,
  type Ports,
  type RegionName,
  type Scale,
  type UnitName,
} from './layout.ts';
export { BUILTIN_PLUGINS_FILE, keyFilesIn, PEPPER_FILE, signingKeyFile, type BaseName } from './keys.ts';
export { externalBus, ownBus, type BusAddress, type Credentials } from './bus-address.ts';
export { ORDER_CONTRACT_FLOW, ORDER_FLOW } from './order-flow.ts';
export { stateDirOf } from './state-lock.ts';
export { runningStack, type RunningStack } from './running-stack.ts';
export { jetStreamAnswers, migrateStack, prepareBuses, provisionStack, type Planes } from './prepare.ts';
export { demoProvider } from './demo-provider.ts';
export { following, joinShop, profileOf, setScene, SHOP_ASKS, shopConnection, type ShopField } from './scene.ts';
export { isSchemaKind, schemaKindOf, schemaOf, type Schema, type SchemaKind } from './schemas.ts';
export { Secrets } from './secrets.ts';
export { STOLEN_ROLES, type StolenRole } from './stolen-roles.ts';
export {
  describeUnits,
  forwarderUrl,
  frontDoorUrl,
  gatewayToken,
  gatewayUrl,
  regionUrl,
  tracesUrl,
  boardUrl,
  type StackSettings,
  type Unit,
} from './units.ts';
export type { StackActors } from './stack-actors.ts';
