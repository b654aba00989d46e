import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASES, REGIONS } from '@codase/stack';
import { parse } from 'yaml';
import { z } from 'zod';
import { manifestsIn, nameOf, type Manifest } from './manifest.ts';

export const POSTGRES = 'deploy/postgres/cluster.yaml';

const SecretKey = z.strictObject({ name: z.string(), key: z.string() });
const Compression = z.strictObject({ compression: z.enum(['gzip', 'bzip2', 'snappy']) });

/** Shapes of the kinds that no package of types has, with the members that are in use. */
const OWN_SHAPES: Readonly<Record<string, z.ZodType>> = {
  ObjectStore: z.strictObject({
    retentionPolicy: z.string().regex(/^\d+[dwm]$/),
    configuration: z.strictObject({
      destinationPath: z.string().startsWith('s3://'),
      s3Credentials: z.strictObject({ accessKeyId: SecretKey, secretAccessKey: SecretKey }),
      wal: Compression,
      data: Compression,
    }),
  }),
};

/** What the types of the package leave open: a synchronous standby there must be, and an archive for the log. */
const Cluster = z.looseObject({
  postgresql: z.looseObject({ synchronous: z.looseObject({ method: z.enum(['any', 'first']), number: z.int().min(1) }) }),
  plugins: z.array(z.looseObject({ isWALArchiver: z.boolean() })),
  managed: z.looseObject({ roles: z.array(z.looseObject({ name: z.string(), passwordSecret: z.looseObject({ name: z.string() }) })) }),
});

export const typedPart = (manifests: readonly Manifest[]): Manifest[] => manifests.filter(({ kind }) => !(kind in OWN_SHAPES));

interface Used {
  database?: { url: string; passwordSecret: { name: string } };
}
interface Preset {
  services: Record<string, Used>;
  jobs: { steps: Used[] };
}

/** Returns a sentence for each database or role of the cluster that differs from what services use. */
export function postgresProblems(root: string, manifests = manifestsIn(readFileSync(join(root, POSTGRES), 'utf8'))): string[] {
  const cluster = Cluster.parse(manifests.find(({ kind }) => kind === 'Cluster')?.spec);
  const roles = new Map(cluster.managed.roles.map(({ name, passwordSecret }) => [name, passwordSecret.name]));
  const databases = manifests.filter(({ kind }) => kind === 'Database').map(({ spec }) => String(spec?.name));
  const wanted = [
    ...DATABASES.flatMap((name) => [`${name}_owner`, `${name}_app`]),
    ...REGIONS.map((region) => `region_${region}_delivery`),
  ];
  return [
    ...manifests.flatMap((manifest) => {
      const fault = OWN_SHAPES[manifest.kind]?.safeParse(manifest.spec).error;
      return fault ? [`${nameOf(manifest)}: ${z.prettifyError(fault)}`] : [];
    }),
    ...wanted.filter((role) => !roles.has(role)).map((role) => `${POSTGRES} has no role ${role}.`),
    ...DATABASES.filter((name) => !databases.includes(name)).map((name) => `${POSTGRES} has no database ${name}.`),
    ...['suite', 'platform'].flatMap((plane) => usedBy(root, plane).flatMap((used) => presetProblems(plane, used, roles))),
  ];
}

function usedBy(root: string, plane: string): Used[] {
  const { services, jobs } = parse(readFileSync(join(root, `deploy/chart/presets/${plane}.yaml`), 'utf8')) as Preset;
  return [...Object.values(services), ...jobs.steps];
}

function presetProblems(plane: string, { database }: Used, roles: ReadonlyMap<string, string>): string[] {
  if (!database) return [];
  const role = new URL(database.url).username;
  const secret = roles.get(role);
  if (secret === undefined) return [`The preset ${plane} connects as ${role}, which ${POSTGRES} does not make.`];
  return secret === database.passwordSecret.name
    ? []
    : [`The preset ${plane} reads the password of ${role} from ${database.passwordSecret.name}, and ${POSTGRES} from ${secret}.`];
}
