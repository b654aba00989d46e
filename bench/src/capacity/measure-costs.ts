import { availableParallelism, cpus } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { readPrivateKeyPem } from '@codase/crypto/open';
import { DEMO, privateKeyOf, regionUrl } from '@codase/stack';
import type { DataSource } from 'typeorm';
import { Phones } from '../app-events/phones.ts';
import { BareRsa } from '../harness/bare-rsa.ts';
import { onDatabase, openBenchDatabase } from '../harness/database.ts';
import { addPhoneOwners } from '../harness/shop-persons.ts';
import { PipelineStack } from '../pipeline/pipeline-stack.ts';
import { ACTIVITIES, byPart, cpuPerSecond, type Activity, type Costs, type CpuOfParts } from './costs.ts';
import { Loads } from './loads.ts';
import { bytesPerEvent, memoryOf, Sizes, spentBetween, spentSoFar } from './spent.ts';

const PORT = 15_000;
const PHONES = 200;
const UNITS = ['front-door', 'region-eu', 'delivery', 'gateway', 'feed-consumer', 'decryptor'] as const;
/** Two rates, which separate the cost of each time from the cost of any activity at all. Two cores have capacity for the higher one. */
const LOW: Readonly<Record<Activity, number>> = { edit: 15, event: 20, webhook: 20, token: 20, open: 30 };
const HIGH: Readonly<Record<Activity, number>> = { edit: 60, event: 80, webhook: 80, token: 80, open: 120 };
const TOGETHER: Readonly<Record<Activity, number>> = { edit: 20, event: 40, webhook: 30, token: 30, open: 30 };

/** The length of the warm-up, in runs. Services run for days, so their warm cost is judged. */
const WARM_UP_RUNS = 4;

export interface MeasureOptions {
  /** The length of each of the fifteen runs. The warm-up takes four times as long. */
  seconds: number;
  progress(text: string): void;
}

/** Measures the cost of each activity on this machine, one after the other, and then all at once to check the model. */
export async function measureCosts({ seconds, progress }: MeasureOptions): Promise<Costs> {
  progress('starting both planes');
  const pipeline = await PipelineStack.open({ port: PORT, units: UNITS });
  const admin = await openBenchDatabase(pipeline.stack.postgres.url);
  const loads = await Loads.open(pipeline);
  try {
    const run = new Run(pipeline, admin, loads, seconds);
    progress('warming up');
    await loads.run(TOGETHER, seconds * WARM_UP_RUNS);
    progress('at rest');
    const rest_us = await run.atRest();
    const [awake_us, each_us] = [{} as Record<Activity, CpuOfParts>, {} as Record<Activity, CpuOfParts>];
    const sizes = new Sizes(pipeline, admin);
    let event_bytes: Costs['event_bytes'] | undefined;
    for (const activity of ACTIVITIES) {
      progress(`${LOW[activity]} and ${HIGH[activity]} × ${activity} a second`);
      const low = await run.alone(activity, LOW[activity]);
      const before = await sizes.now();
      const high = await run.alone(activity, HIGH[activity]);
      if (activity === 'event') event_bytes = bytesPerEvent(before, await sizes.now(), high.done);
      each_us[activity] = byPart((part) => Math.max(0, (high.used[part] - low.used[part]) / (high.rate - low.rate)));
      awake_us[activity] = byPart((part) => Math.max(0, low.used[part] - rest_us[part] - low.rate * each_us[activity][part]));
    }
    progress('everything at once');
    const measured_us = await run.together();
    progress('streams of phones');
    const [memory_mb, stream] = [rounded(memoryOf(pipeline)), await streamCost(pipeline, seconds)];
    return {
      machine: { cpu: cpus()[0]?.model ?? process.arch, cores: availableParallelism(), node: process.versions.node },
      measured: new Date().toISOString().slice(0, 10),
      rsa_us: await rsaMicroseconds(pipeline),
      rest_us: rounded(rest_us),
      memory_mb,
      awake_us: eachRounded(awake_us),
      each_us: eachRounded(each_us),
      event_bytes: event_bytes!,
      stream,
      check: {
        per_second: { ...TOGETHER },
        predicted_us: rounded(cpuPerSecond({ rest_us, awake_us, each_us }, TOGETHER)),
        measured_us: rounded(measured_us),
      },
    };
  } finally {
    await loads.close();
    await admin.destroy();
    await pipeline.close();
  }
}

class Run {
  constructor(
    private readonly pipeline: PipelineStack,
    private readonly admin: DataSource,
    private readonly loads: Loads,
    private readonly seconds: number,
  ) {}

  atRest(): Promise<CpuOfParts> {
    return this.perSecond(async () => {
      await pause(this.seconds * 1000);
      return this.seconds;
    });
  }

  async alone(activity: Activity, perSecond: number): Promise<{ used: CpuOfParts; rate: number; done: number }> {
    let [rate, times] = [0, 0];
    const used = await this.perSecond(async () => {
      const { done, seconds } = await this.loads.run({ [activity]: perSecond }, this.seconds);
      [rate, times] = [done[activity] / seconds, done[activity]];
      return seconds;
    });
    return { used, rate, done: times };
  }

  together(): Promise<CpuOfParts> {
    return this.perSecond(async () => {
      await this.loads.run(TOGETHER, this.seconds);
      return this.seconds;
    });
  }

  private async perSecond(work: () => Promise<number>): Promise<CpuOfParts> {
    const before = await spentSoFar(this.pipeline, this.admin);
    const seconds = await work();
    const after = await spentSoFar(this.pipeline, this.admin);
    const used = spentBetween(before, after);
    return byPart((part) => used[part] / seconds);
  }
}

async function rsaMicroseconds({ stack, sealed }: PipelineStack): Promise<number> {
  const { pem, passphrase } = privateKeyOf(stack.settings.secrets, DEMO.keys.shop);
  const bare = new BareRsa(await readPrivateKeyPem(pem, passphrase), sealed[0]!);
  const { operations, seconds } = await bare.run(2);
  await bare.stop();
  return Math.round((availableParallelism() * seconds! * 1e6) / operations);
}

const eachRounded = (costs: Record<Activity, CpuOfParts>) =>
  Object.fromEntries(ACTIVITIES.map((activity) => [activity, rounded(costs[activity])])) as Costs['each_us'];

const rounded = <T extends Record<string, number>>(values: T): T =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Math.round(value)])) as T;

async function streamCost(pipeline: PipelineStack, seconds: number): Promise<Costs['stream']> {
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
