import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { downloadsFolder, externalInfra, findNatsServer, startPostgres } from '@codase/servers';

/** The part of Jest's configuration of a run that is read here. */
export interface TestRun {
  rootDir: string;
  testPathPatterns: { toExecutor(options: { rootDir: string }): { isMatch(path: string): boolean } };
  /** Whether the plain arguments are files instead of patterns. */
  runTestsByPath?: boolean;
  nonFlagArgs?: string[];
}

/**
 * Starts one Postgres and finds one nats-server program for all tests of a run that live in a `test` folder. The tests find them in
 * CODASE_TEST_POSTGRES_URL (of a superuser) and CODASE_TEST_NATS_SERVER (JSON, for `startNats`). A run without such tests starts nothing.
 * Returns a function that stops everything.
 */
export async function startTestServers(run: TestRun): Promise<() => Promise<void>> {
  if (!(await needsServers(run))) return async () => undefined;
  const progress = (line: string) => console.error(line);
  const nats = await findNatsServer({ cacheDir: join(downloadsFolder(run.rootDir), 'nats'), progress });
  process.env.CODASE_TEST_NATS_SERVER = JSON.stringify({ ...nats, singleCore: true });
  const { databaseUrl } = externalInfra(process.env);
  const postgres = databaseUrl
    ? undefined
    : await startPostgres({ durable: false, password: randomBytes(16).toString('hex'), overSocket: true });
  process.env.CODASE_TEST_POSTGRES_URL = databaseUrl ?? postgres?.url;
  return async () => postgres?.stop();
}

/** Whether the run includes a test of a `test` folder. */
export async function needsServers({ rootDir, testPathPatterns, runTestsByPath, nonFlagArgs = [] }: TestRun): Promise<boolean> {
  if (runTestsByPath) return nonFlagArgs.some((path) => /(^|\/)test\//.test(path));
  const selected = testPathPatterns.toExecutor({ rootDir });
  return (await specsInTestFolders(rootDir)).some((spec) => selected.isMatch(spec));
}

async function specsInTestFolders(rootDir: string): Promise<string[]> {
  const grouped = await Promise.all(['apps', 'libs', 'dev', 'examples'].map((group) => pathsIn(join(rootDir, group))));
  const projects = [...grouped.flat(), ...['e2e', 'bench', 'tools'].map((name) => join(rootDir, name))];
  const paths = await Promise.all(projects.map((project) => pathsIn(join(project, 'test'), { recursive: true })));
  return paths.flat().filter((path) => path.endsWith('.spec.ts'));
}

/** Returns the paths in a folder, or none when the folder does not exist. */
async function pathsIn(folder: string, options?: { recursive: true }): Promise<string[]> {
  const names = await readdir(folder, options).catch(() => []);
  return names.map((name) => join(folder, name));
}
