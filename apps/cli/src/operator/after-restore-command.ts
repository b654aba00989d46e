import { Fault } from '@codase/command-line';
import { databaseConfig, readConfig } from '@codase/runtime/config';
import type { DatabaseAddress } from '@codase/runtime/db';
import { afterFrontDoorRestore, afterRegionRestore } from '../after-restore.ts';
import { TEXT } from '../command.ts';
import { addressIn } from '../databases/installed-databases.ts';
import { operatorCommand } from './operator-command.ts';

/** Repairs the restored database directly: neither a front door nor a region starts on a database that is older than its restore mark. */
export const afterRestore = operatorCommand(
  {
    usage: 'after-restore [--region REGION] [--audit FILE]',
    what:
      "after a backup of the front door's database (DATABASE_URL) came back: revoke again what was revoked since, end all sessions; " +
      'or of that of a region (DATABASE_URL, and FRONT_DOOR_DATABASE_URL): delete again what was deleted since. ' +
      'FILE holds lines of audit export, which know more',
    options: { region: TEXT, audit: TEXT },
  },
  ({ region, audit }) => {
    const own = database(
      region === undefined
        ? "the front door's database, with its owner's role"
        : `the database of the region ${region}, with its owner's role`,
    );
    if (region === undefined) return ({ bus }) => afterFrontDoorRestore(bus, own, audit);
    const frontDoor = database("the front door's database", 'FRONT_DOOR_');
    return ({ bus }) => afterRegionRestore(bus, { region, own, frontDoor, audit });
  },
);

/** Reads the address of a database from its variables: DATABASE_URL, and those that belong to it. */
function database(which: string, prefix = ''): DatabaseAddress {
  const name = `${prefix}DATABASE_URL`;
  if (!process.env[name] && !process.env[`${name}_FILE`]) throw new Fault(`${name} is not set: name ${which}.`);
  return addressIn(readConfig(databaseConfig, process.env, prefix));
}
