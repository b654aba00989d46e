import { OPERATOR, READ_REGION_AUDIT } from '@codase/contracts';
import { Fault } from '@codase/command-line';
import { wasUnheard, type Bus } from '@codase/runtime/bus';
import { afterFrontDoorRestore, afterRegionRestore } from '../after-restore.ts';
import { withBus } from '../bus.ts';
import type { Outcome } from '../operator/operator-command.ts';
import type { Target } from '../target.ts';
import { find, type Installed, type OwnedDatabase } from './installed-databases.ts';

const regionOf = ({ name }: OwnedDatabase): string => name.slice('region-'.length);
const ANSWER_MS = 5000;

/** Refuses while the database is in use. Reconciling repeats later changes in it, and nothing may serve older data meanwhile. */
export async function refuseRunning(target: Target, database: OwnedDatabase, installed: Installed): Promise<void> {
  if (database.kind !== 'front-door' && database.kind !== 'region')
    throw new Fault(`--reconcile is for the front door and regions: start ${database.name} on what was restored, and it goes on.`);
  if (database.kind === 'region') find(installed, 'front-door'); // the front door knows what was deleted and where accounts live
  await withBus(target.platformOperator(), async (bus) => {
    if (await isAnswered(bus, database))
      throw new Fault(
        `${database.name} still runs, and would go on with what it has: stop all its replicas, then restore with --reconcile.`,
      );
  });
}

async function isAnswered(bus: Bus, database: OwnedDatabase): Promise<boolean> {
  const query = { from: new Date().toISOString() };
  const request =
    database.kind === 'front-door'
      ? bus.request(OPERATOR.readAudit, {}, query, { timeout: ANSWER_MS })
      : bus.request(READ_REGION_AUDIT, { region: regionOf(database) }, query, { timeout: ANSWER_MS });
  return request.then(
    () => true,
    (error: unknown) => !wasUnheard(error),
  );
}

/** Reconciles a restored database, as `npm run operator -- after-restore` does. */
export const reconcileRestored = (
  target: Target,
  database: OwnedDatabase,
  installed: Installed,
  audit: string | undefined,
): Promise<Outcome> =>
  withBus(target.platformOperator(), (bus) =>
    database.kind === 'front-door'
      ? afterFrontDoorRestore(bus, database.owner, audit)
      : afterRegionRestore(bus, { region: regionOf(database), own: database.owner, frontDoor: find(installed, 'front-door').owner, audit }),
  );

/** Returns what the operator has to do next, in this order. */
export function stepsThatRemain(database: OwnedDatabase, name: string, isReconciled: boolean): string[] {
  const { kind } = database;
  if (kind === 'front-door' || kind === 'region') {
    const region = kind === 'region' ? ` --region ${regionOf(database)}` : '';
    const stopped = kind === 'region' ? `every replica of ${database.name} and the delivery` : 'every front door';
    return [
      ...(isReconciled
        ? []
        : [
            `To only look at it, do nothing more: do not start a service on it while ${database.name} runs.`,
            `To use it: stop ${stopped}, and run npm run operator -- after-restore${region} --audit FILE with DATABASE_URL of ${name}.`,
          ]),
      `Start ${kind === 'region' ? database.name : 'the front door'} with DATABASE_URL of ${name}.`,
      ...(kind === 'region'
        ? [
            `Start the delivery with ${name} as the database of ${regionOf(database)} in DATABASES.`,
            'In each suite: npm run codase -- events compare --service NAME publishes what is different in the restored region.',
          ]
        : ['Give clients that need one a new secret, and put the public keys of those that lost them: everybody signs in anew.']),
    ];
  }
  return kind === 'feed-consumer'
    ? [`Stop the feed consumer, start it with DATABASE_URL of ${name}: it publishes again what it had not published.`]
    : [`Stop ${database.name}, start it with DATABASE_URL of ${name}.`];
}
