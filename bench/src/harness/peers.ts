import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Pool } from 'pg';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const WANTED = join(ROOT, 'bench/peers');
const FOLDER = join(ROOT, '.cache/bench-peers');
const FILES = ['package.json', 'package-lock.json'];

export interface GraphileWorker {
  makeWorkerUtils(options: { connectionString: string; logger: unknown } | { pgPool: Pool; logger: unknown }): Promise<WorkerUtils>;
  run<Payload>(options: {
    preset: unknown;
    pgPool?: Pool;
    logger: unknown;
    noHandleSignals: true;
    taskList: Record<string, (payload: Payload) => Promise<void>>;
  }): Promise<{ stop(): Promise<void> }>;
  Logger: new (factory: () => () => void) => unknown;
}

interface WorkerUtils {
  migrate(): Promise<void>;
  addJob(task: string, payload: unknown): Promise<unknown>;
  release(): Promise<void>;
}

export interface PgBoss {
  PgBoss: new (options: { connectionString: string; max: number; supervise: false; schedule: false }) => Boss;
}

export interface Boss {
  on(event: 'error', listener: (error: Error) => void): void;
  start(): Promise<unknown>;
  stop(options: { graceful: boolean }): Promise<unknown>;
  createQueue(name: string, options: { policy: 'key_strict_fifo'; retryLimit: number }): Promise<void>;
  insert(name: string, jobs: { data: BossJob['data']; singletonKey: string }[]): Promise<unknown>;
  fetch(name: string, options: { batchSize: number }): Promise<BossJob[]>;
  complete(name: string, ids: string[]): Promise<unknown>;
}

interface BossJob {
  id: string;
  data: { hook: string; number: number };
}

type Decorator = (...target: unknown[]) => void;

/** The parts of Nest's packages that serve HTTP by its own pipeline. */
export interface NestHttp {
  decorators: Record<'Body' | 'Controller' | 'HttpCode' | 'Module' | 'Param' | 'Post', (...options: unknown[]) => Decorator>;
  core: { NestFactory: { create(module: unknown, adapter: unknown, options: { logger: false }): Promise<NestApplication> } };
  fastify: { FastifyAdapter: new () => unknown };
}

interface NestApplication {
  listen(port: number, host: string): Promise<unknown>;
  getUrl(): Promise<string>;
  close(): Promise<void>;
}

export interface FastXmlParser {
  default: {
    XMLParser: new (options: { ignoreAttributes: false; parseTagValue: false; processEntities: boolean }) => {
      parse(xml: string): unknown;
    };
  };
}

export interface RateLimiterFlexible {
  RateLimiterMemory: new (options: { points: number; duration: number }) => { consume(key: string): Promise<unknown> };
}

export interface S3Sdk {
  S3Client: new (options: object) => { send(command: unknown): Promise<{ Body?: AsyncIterable<Uint8Array> }>; destroy(): void };
  PutObjectCommand: new (input: object) => unknown;
  GetObjectCommand: new (input: object) => unknown;
}

/** Loads a library that others would use instead, installed outside of the project, so that nothing in it depends on it. */
export async function loadPeer<T>(name: string): Promise<T> {
  if (!(await isInstalled())) await install();
  return (await import(pathToFileURL(createRequire(join(FOLDER, 'package.json')).resolve(name)).href)) as T;
}

/** Whether the right versions are installed. npm writes its own list into node_modules when it has finished. */
async function isInstalled(): Promise<boolean> {
  const [wanted, installed] = await Promise.all(
    [WANTED, FOLDER].map((dir) => readFile(join(dir, 'package-lock.json'), 'utf8').catch(() => '')),
  );
  return wanted === installed && existsSync(join(FOLDER, 'node_modules/.package-lock.json'));
}

async function install(): Promise<void> {
  process.stderr.write('installing libraries to compare with (npm ci in .cache/bench-peers) …\n');
  await mkdir(FOLDER, { recursive: true });
  for (const file of FILES) await copyFile(join(WANTED, file), join(FOLDER, file));
  const options = ['--engine-strict=false', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await promisify(execFile)('npm', ['ci', ...options], { cwd: FOLDER, timeout: 180_000 }).catch((cause: Error) => {
    throw new Error(`libraries to compare with could not be installed: is the npm registry reachable? ${cause.message}`, { cause });
  });
}
