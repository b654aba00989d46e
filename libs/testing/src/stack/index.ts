/** The default stack, described once: `npm start` keeps it, the world of the tests opens and closes it. */
export { busAccounts, busPassword } from './bus-accounts.ts';
export { clientSecret, DEMO, demo, passwordOf, privateKeyOf, type Makers } from './demo.ts';
export { DATABASES, entryOf, portsFrom, REGIONS, ROOT, UNIT_NAMES, type DatabaseName, type Ports, type RegionName, type UnitName } from './layout.ts';
export { migrateStack, prepareBuses, provisionStack, type Planes } from './prepare.ts';
export { Secrets } from './secrets.ts';
export { describeUnits, firstPartyRedirects, frontDoorUrl, gatewayToken, gatewayUrl, regionUrl, tracesUrl, type Credentials, type StackSettings, type Unit } from './units.ts';
