import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@codase/command-line';
import { command, databaseUrl } from '@codase/servers';
import { UNIT_NAMES, type DatabaseName, type RunningStack, type UnitName } from '@codase/stack';
import { besideStack } from '../scrape-check/running-stack.ts';
import { readPidFile } from '../start/pid-file.ts';
import { buildImage, environmentOf, mountSecrets, runContainer, type Container } from './container.ts';

const READY_MS = 180_000;
const imageOf = (app: string): string => `localhost/codase/${app}:check`;
const PLATFORM = new Set<UnitName>(['front-door', 'region-eu', 'region-us', 'delivery', 'forwarder']);
const appOf = (unit: UnitName): string => (PLATFORM.has(unit) ? 'platform' : unit);

/** A program of an image that runs to its end, and what it needs. */
interface Job {
  app: string;
  program: 'migrate' | 'prepare';
  database?: DatabaseName;
  operator?: 'platform' | 'suite';
  env?: Record<string, string>;
}

const JOBS: readonly Job[] = [
  { app: 'platform', program: 'migrate', database: 'front_door', env: { PLATFORM_ROLES: 'front-door' } },
  { app: 'platform', program: 'migrate', database: 'region_eu', env: { PLATFORM_ROLES: 'region', DELIVERY_ROLE: 'region_eu_delivery' } },
  { app: 'feed-consumer', program: 'migrate', database: 'feed_consumer' },
  { app: 'flows', program: 'migrate', database: 'flows' },
  { app: 'twofa', program: 'migrate', database: 'twofa' },
  { app: 'platform', program: 'prepare', operator: 'platform' },
  { app: 'feed-consumer', program: 'prepare', operator: 'suite' },
  { app: 'flows', program: 'prepare', operator: 'suite' },
  { app: 'twofa', program: 'prepare', operator: 'suite' },
];

export async function buildImages(root: string, say: (line: string) => void): Promise<string[]> {
  const problems: string[] = [];
  for (const app of new Set(UNIT_NAMES.map(appOf))) {
    const startedAt = performance.now();
    const { problem } = await buildImage(root, app, imageOf(app));
    if (problem) problems.push(`The image of ${app} cannot be built: ${problem}`);
    else say(`image of ${app}: ${Math.round((performance.now() - startedAt) / 1000)} s`);
  }
  return problems;
}

/** Runs every image beside a stack as a cluster would: each service until it is ready, each job to its end. Returns what is wrong. */
export const runImages = (signal: AbortSignal, say: (line: string) => void): Promise<string[]> =>
  besideStack({ name: 'image-check', signal, say }, async (stack, folder) => {
    const problems: string[] = [];
    for (const [number, job] of JOBS.entries()) problems.push(...(await runJob(stack, job, join(folder, `job-${number}`), say)));
    for (const unit of UNIT_NAMES) problems.push(...(await runService(stack, unit, folder, say)));
    return problems;
  });

async function runJob(stack: RunningStack, { app, program, database, operator, env }: Job, folder: string, say: (line: string) => void) {
  const { secrets, nats, ports } = stack;
  const given: Record<string, string> = { NODE_ENV: 'production', ...env };
  const hidden: Record<string, string> = {};
  if (database) {
    const owner = { name: database, user: `${database}_owner`, password: secrets.known(`databases/${database}-owner`) };
    hidden.DATABASE_URL = databaseUrl(`postgres://127.0.0.1:${ports.postgres}`, owner);
  }
  if (operator) {
    const { user, password } = nats.credentials(`${operator}-operator`);
    Object.assign(given, { NATS_URL: nats.url, NATS_USER: user, REPLICAS: '1' });
    hidden.NATS_PASSWORD = password ?? '';
  }
  const written = writeSecrets(hidden, folder);
  const container = { name: `codase-check-${process.pid}`, image: imageOf(app), program: `${program}.js`, secrets: folder };
  const { problem } = await runContainer({ ...container, env: { ...given, ...written } }, { detached: false });
  const what = `${program} of ${app}${database ? ` on ${database}` : ''}`;
  say(`${what}: ${problem || 'done'}`);
  return problem ? [`The image of ${app} does not run its job: ${what}: ${problem}`] : [];
}

function writeSecrets(hidden: Readonly<Record<string, string>>, folder: string): Record<string, string> {
  const from = `${folder}-source`;
  mkdirSync(from, { recursive: true });
  const files = Object.entries(hidden).map(([variable, value]) => {
    const file = join(from, variable);
    writeFileSync(file, value, { mode: 0o600 });
    chownSync(file, 0, 0);
    return [`${variable}_FILE`, file];
  });
  return mountSecrets(Object.fromEntries(files) as Record<string, string>, folder);
}

/** Runs a further replica of a service from its image, with the environment of the stack's own replica and ports of its own. */
async function runService(stack: RunningStack, unit: UnitName, folder: string, say: (line: string) => void): Promise<string[]> {
  const { pid } = readPidFile(join(folder, 'state/pids', unit)) ?? {};
  if (pid === undefined) throw new Fault(`The stack runs no ${unit}.`);
  const [secrets, opsPort] = [join(folder, `secrets-${unit}`), stack.ports.ops[unit] + 20];
  const env = mountSecrets(environmentOf(pid), secrets);
  const own = {
    OPS_PORT: String(opsPort),
    ...(env.PORT && { PORT: String(opsPort + 10) }),
    ...(env.REPLICA && { REPLICA: 'of-an-image' }),
  };
  const container: Container = {
    name: `codase-check-${process.pid}-${unit}`,
    image: imageOf(appOf(unit)),
    program: 'main.js',
    env: { ...env, ...own },
    secrets,
  };
  const { problem } = await runContainer(container, { detached: true });
  if (problem) return [`${unit} does not run from its image: ${problem}`];
  try {
    const readiness = await untilReady(opsPort);
    say(`${unit}: ${readiness === '' ? 'ready' : readiness}`);
    const { output } = await command('podman', ['logs', '--tail', '5', container.name], { seconds: 30 });
    return readiness === '' ? [] : [`${unit} is not ready from its image: ${readiness} ${output}`];
  } finally {
    await command('podman', ['stop', '--time', '30', container.name], { seconds: 60 });
  }
}

/** Waits until a service is ready. Returns an empty string when it is, and otherwise its last answer. */
async function untilReady(opsPort: number): Promise<string> {
  let last = 'it answers nothing';
  for (const deadline = performance.now() + READY_MS; performance.now() < deadline; await sleep(300)) {
    const answer = await fetch(`http://127.0.0.1:${opsPort}/readyz`).catch(() => undefined);
    if (answer?.ok) return '';
    if (answer) last = await answer.text();
  }
  return last;
}
