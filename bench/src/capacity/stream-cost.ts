import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { readSigningKey, signToken } from '@codase/platform';
import { execute, openDatabase, sql } from '@codase/runtime/db';
import { frontDoorUrl, regionUrl, signingKeyFile } from '@codase/stack';
import { Phones } from '../app-events/phones.ts';
import type { PipelineStack } from '../pipeline/pipeline-stack.ts';
import type { Costs } from './costs.ts';

const PHONES = 200;

/** Measures the cost of phones that hold a stream each, with nothing to send. */
export async function streamCost(pipeline: PipelineStack, seconds: number): Promise<Costs['stream']> {
  const { secrets, ports, databases } = pipeline.stack.settings;
  const persons = Array.from({ length: PHONES }, (_, nth) => ({ user_id: `usr_phone_${nth}`, share_code: `PHONE${nth}` }));
  const db = await openDatabase({ url: databases.region_eu.owner, name: 'bench', pool: 1 });
  await execute(
    db,
    sql`
    insert into profile (user_id, type, display_name, language, share_code, public_key, created_at)
    select user_id, 'person', 'Phone', 'en', share_code, '', now()
      from json_to_recordset(${JSON.stringify(persons)}) as p (user_id text, share_code text)`,
  );
  await db.destroy();
  const key = readSigningKey(secrets.known(signingKeyFile('front-door')));
  const mint = (sub: string) =>
    signToken(key, new Date(), { iss: frontDoorUrl(ports), sub, client_id: 'app_person', gen: 1, jti: randomUUID() });
  const url = `${regionUrl(ports, 'eu')}/api/app/events`;
  const region = pipeline.processes.get('region-eu')!;
  const rest = await usedIn(region, seconds);
  const phones = await Phones.connect(
    await Promise.all(persons.map(async ({ user_id }) => ({ url, headers: { authorization: `Bearer ${await mint(user_id)}` } }))),
  );
  await pause(1000);
  const used = await usedIn(region, seconds);
  phones.close();
  return { us_per_second: Math.round(Math.max(0, used - rest) / PHONES) };
}

/** Returns the microseconds of CPU that a process uses per second. */
async function usedIn(process: { cpuMicroseconds: number }, seconds: number): Promise<number> {
  const before = process.cpuMicroseconds;
  await pause(seconds * 1000);
  return (process.cpuMicroseconds - before) / seconds;
}
