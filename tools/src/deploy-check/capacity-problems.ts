import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { sourceFiles } from '../command/source-files.ts';
import { manifestsIn } from './manifest.ts';
import { POSTGRES } from './postgres-problems.ts';
import { defaultOf } from './settings.ts';

const Scaling = z.object({ enabled: z.boolean(), max: z.int() }).optional();
const Resources = z.object({ limits: z.object({ memory: z.string() }) });
const Service = z.object({
  app: z.string(),
  role: z.string().optional(),
  replicas: z.int().optional(),
  autoscaling: Scaling,
  keda: Scaling,
  env: z.record(z.string(), z.string()).default({}),
  resources: Resources.optional(),
});
type Service = z.infer<typeof Service>;
const Defaults = z.object({ replicas: z.int(), resources: Resources });
const Cluster = z.object({ postgresql: z.object({ parameters: z.object({ max_connections: z.coerce.number() }) }) });

/** Connections beside those of services: for the Job, backups, operators, and the server itself. */
const OTHER_CONNECTIONS = 20;
/** The megabytes that a process takes beside four times its memory for bodies: docs/guides/operating.md. */
const OTHER_MEGABYTES = 300;

/** Returns a sentence when Postgres takes fewer connections than the presets may open, and for each service with too little memory. */
export function capacityProblems(root: string, manifests = manifestsIn(readFileSync(join(root, POSTGRES), 'utf8'))): string[] {
  const read = (file: string) => parse(readFileSync(join(root, 'deploy/chart', file), 'utf8')) as Record<string, unknown>;
  const defaults = Defaults.parse(read('values.yaml')['defaults']);
  const services = Object.entries(
    Object.assign({}, ...['suite', 'platform'].map((plane) => read(`presets/${plane}.yaml`)['services'])) as Record<string, unknown>,
  ).map(([name, service]) => ({ name, ...Service.parse(service) }));
  const { max_connections } = Cluster.parse(manifests.find(({ kind }) => kind === 'Cluster')?.spec).postgresql.parameters;
  const wanted = services.reduce((sum, service) => sum + podsOf(service, defaults.replicas) * connectionsOf(root, service, services), 0);
  return [
    ...(wanted + OTHER_CONNECTIONS <= max_connections
      ? []
      : [`${POSTGRES} takes ${max_connections} connections: services of the presets open ${wanted}, others ${OTHER_CONNECTIONS}.`]),
    ...services.flatMap((service) => memoryProblems(service, service.resources ?? defaults.resources)),
  ];
}

/** Returns how many pods of a service there are at most, with the one more that an update starts. */
function podsOf({ replicas, autoscaling, keda }: Service, usual: number): number {
  const scaled = [autoscaling, keda].find((scaling) => scaling?.enabled);
  return (scaled?.max ?? replicas ?? usual) + 1;
}

function connectionsOf(root: string, service: Service, services: readonly Service[]): number {
  const pool = numberOf(service, 'DATABASE_POOL');
  if (service.role === 'region') return pool + furtherConnections(root);
  return service.role === 'delivery' ? pool * services.filter(({ role }) => role === 'region').length : pool;
}

const numberOf = ({ app, role, env }: Service, variable: string): number => Number(env[variable] ?? defaultOf(role ?? app, variable));

/** Adds up the pools that capabilities of a region open beside the first one, from their manifests. */
function furtherConnections(root: string): number {
  const source = sourceFiles(root, ['apps/platform/src'], ['.ts'])
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n');
  const sizes = [...source.matchAll(/\{ as: \w+, name: '[\w-]+', size: (\w+)(?:, hasEntities: true)? \}/g)].map(([, size]) => size!);
  return sizes.reduce((sum, size) => sum + (/^\d+$/.test(size) ? Number(size) : constantIn(source, size)), 0);
}

function constantIn(source: string, name: string): number {
  const [, value] = new RegExp(`^export const ${name} = (\\d+);$`, 'm').exec(source) ?? [];
  if (value === undefined) throw new Error(`apps/platform/src has no number ${name}, which is the size of a pool.`);
  return Number(value);
}

function memoryProblems(service: Service & { name: string }, { limits }: z.infer<typeof Resources>): string[] {
  const bodies = numberOf(service, 'BODY_MEMORY_MB');
  const [limit, wanted] = [megabytesIn(limits.memory), 4 * bodies + OTHER_MEGABYTES];
  return bodies === 0 || limit >= wanted
    ? []
    : [`The preset of ${service.name} limits its memory to ${limit} MB, and it may take ${wanted}.`];
}

const megabytesIn = (quantity: string): number =>
  Number.parseInt(quantity, 10) * ({ Ki: 1 / 1024, Mi: 1, Gi: 1024 }[quantity.slice(-2)] ?? 0);
