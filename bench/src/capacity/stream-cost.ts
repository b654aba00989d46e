import { setTimeout as pause } from 'node:timers/promises';
import { regionUrl } from '@codase/stack';
import { Phones } from '../app-events/phones.ts';
import { onDatabase } from '../harness/database.ts';
import { addPhoneOwners } from '../harness/shop-persons.ts';
import type { PipelineStack } from '../pipeline/pipeline-stack.ts';
import type { Costs } from './costs.ts';

const PHONES = 200;

export async function streamCost(pipeline: PipelineStack, seconds: number): Promise<Costs['stream']> {
  const { stack } = pipeline;
  const { ports, databases } = stack.settings;
  const persons = await onDatabase(databases.region_eu.owner, (run) => addPhoneOwners(run, PHONES));
  const url = `${regionUrl(ports, 'eu')}/api/app/events`;
  const region = pipeline.processes.get('region-eu')!;
  const rest = await usedIn(region, seconds);
  const phones = await Phones.connect(
    await Promise.all(
      persons.map(async ({ user_id }) => ({ url, headers: { authorization: `Bearer ${await stack.mint('app_person', user_id)}` } })),
    ),
  );
  await pause(1000);
  const used = await usedIn(region, seconds);
  phones.close();
  return { us_per_second: Math.round(Math.max(0, used - rest) / PHONES) };
}

async function usedIn(process: { cpuMicroseconds: number }, seconds: number): Promise<number> {
  const before = process.cpuMicroseconds;
  await pause(seconds * 1000);
  return (process.cpuMicroseconds - before) / seconds;
}
