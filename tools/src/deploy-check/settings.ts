import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Config as Decryptor } from '@codase/decryptor';
import { Config as FeedConsumer } from '@codase/feed-consumer';
import { Config as Flows } from '@codase/flows';
import { Config as Gateway } from '@codase/gateway';
import { DeliveryConfig, ForwarderConfig, FrontDoorConfig, PlatformConfig, RegionConfig } from '@codase/platform';
import { migrateConfig, prepareConfig } from '@codase/runtime/config';
import { Config as Twofa } from '@codase/twofa';
import type { z } from 'zod';
import { sourceFiles } from '../command/source-files.ts';

/** The kinds of services that the chart can run (an app, or a role of the platform), each with the settings that it reads. */
const SHAPES: Readonly<Record<string, Readonly<Record<string, z.ZodType>>>> = {
  decryptor: Decryptor.shape,
  'feed-consumer': FeedConsumer.shape,
  flows: Flows.shape,
  gateway: Gateway.shape,
  twofa: Twofa.shape,
  'front-door': { ...FrontDoorConfig.shape, ...PlatformConfig.shape },
  region: { ...RegionConfig.shape, ...PlatformConfig.shape },
  delivery: { ...DeliveryConfig.shape, ...PlatformConfig.shape },
  forwarder: { ...ForwarderConfig.shape, ...PlatformConfig.shape },
};

export const KINDS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(SHAPES).map(([kind, shape]) => [kind, Object.keys(shape).toSorted()]),
);

/** Returns the number that a kind of service uses when a setting is absent; 0 when it has no such setting. */
export const defaultOf = (kind: string, variable: string): number => Number(SHAPES[kind]?.[variable]?.parse(undefined) ?? 0);

/** A configuration of the programs of one app, up to the next line that begins at the margin. */
const OF_PROGRAMS = /^export const (?:Migrate|Prepare)Config = [\s\S]*?(?=^\S)/gm;

/** Returns the variables of the programs `migrate` and `prepare`: those of every app, and those that an app adds in its `config.ts`. */
export function programVariables(root: string): string[] {
  const added = sourceFiles(root, ['apps'], ['/config.ts']).flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(OF_PROGRAMS)].flatMap(([text]) =>
      [...text.matchAll(/^ +([A-Z][A-Z_]+):/gm)].map(([, variable]) => variable!),
    ),
  );
  return [...new Set([...Object.keys(migrateConfig.shape), ...Object.keys(prepareConfig.shape), ...added])].toSorted();
}

/** Variables that the chart sets itself, each with the source of its value. */
export const SET_BY_CHART: Readonly<Record<string, string>> = {
  OPS_PORT: 'always 9090: the port that probes and scrapers know',
  OPS_HOST: 'the image: every address of the pod',
  HOST: 'the image: every address of the pod',
  PORT: 'services.*.port',
  NATS_URL: 'nats.urls',
  NATS_USER: 'services.*.natsUser, or the name of the service',
  NATS_PASSWORD: 'services.*.natsSecret',
  NATS_CA: 'nats.tls.caSecret',
  NATS_CERT: 'nats.tls.clientSecret',
  NATS_KEY: 'nats.tls.clientSecret',
  NATS_TLS_HANDSHAKE: 'nats.tls.handshake',
  SHUTDOWN_SECONDS: 'services.*.shutdownSeconds',
  DATABASE_URL: 'services.*.database.url',
  DATABASE_PASSWORD: 'services.*.database.passwordSecret',
  DATABASE_CA: 'postgres.tls.caSecret',
  KEYS_DIR: 'services.*.keysSecret',
  PASSPHRASES_DIR: 'services.*.passphrasesSecret',
  PLATFORM_ROLES: 'services.*.role',
  REGION: 'services.*.region',
  REPLICA: 'the name of the pod',
};

/** Variables that no value of the chart sets, each with the reason. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  CLOCK: 'production refuses a clock that moves',
  NODE_ENV: 'the image says production',
  LOOPBACK_TARGETS: 'for development: nothing of a pod is a webhook or a plugin',
  SEAL_CHECK: 'for development: a region that cannot seal is not ready',
};

/** Variables that are secrets, or too long for a line: they come as files, from a Secret or a ConfigMap. */
export const FILES: ReadonlySet<string> = new Set([
  'ACCOUNTS',
  'BUILTIN_PLUGINS_KEY',
  'CALLERS',
  'CHANNELS',
  'CLIENT_SECRET_PEPPER',
  'DATABASES',
  'DATABASE_CERT',
  'DATABASE_KEY',
  'FIELD_TYPES',
  'GATEWAY_TOKEN',
  'ID_TOKEN_SIGNING_KEY',
  'MAIL_PASSWORD',
  'OUTBOUND_CA',
  'S3_ACCESS_KEY_ID',
  'S3_CA',
  'S3_SECRET_ACCESS_KEY',
  'SEAL_PKCS12',
  'SEAL_PKCS12_PASSWORD',
  'SERVICES',
  'STORED_SECRETS_KEY',
  'STORED_SECRETS_KEYS',
  'TOKEN_KEYS',
  'TOKEN_SIGNING_KEY',
  'WEBHOOK_KEYS',
  'WEBHOOK_SIGNING_KEYS',
]);

/** Returns which of the variables `env` and `files` of a service or a step may have. */
export function settingsOf(variables: readonly string[] = []): { env: string[]; files: string[] } {
  const free = variables.filter((variable) => !(variable in SET_BY_CHART) && !(variable in LEFT_OUT));
  return { env: free.filter((variable) => !FILES.has(variable)), files: free.filter((variable) => FILES.has(variable)) };
}
