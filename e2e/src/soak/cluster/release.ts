import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REGIONS, ROOT, roleIn, type StackDatabases } from '@codase/stack';

const run = promisify(execFile);

/** One version of the programs: this one, or one that is built beside it. */
export class Release {
  static readonly current = new Release('this version', ROOT);
  /** Whether the release has contract flows. Otherwise it has neither the service flows nor the forwarder. */
  hasFlows = true;

  private constructor(
    readonly name: string,
    /** The folder of the release, with a slash at the end. */
    readonly root: string,
  ) {}

  /** Returns an earlier commit of this repository as a release. It is built once, which takes a minute or two. */
  static async of(ref: string, progress: (line: string) => void): Promise<Release> {
    const commit = await commitOf(ref);
    const root = join(ROOT, '.cache/releases', commit);
    const release = new Release(ref, `${root}/`);
    if (!existsSync(join(root, 'built'))) await release.build(commit, progress);
    release.hasFlows = 'START_RUN' in (await release.contracts());
    return release;
  }

  at(file: string): string {
    return file.replace(ROOT, this.root);
  }

  async rateLimits(): Promise<string[]> {
    return Object.keys((await this.contracts()).RATE_LIMITS);
  }

  /** Migrates every database to the schema of this release by its own programs, as the job of a cluster does. */
  async migrate(databases: StackDatabases, { withFlows }: { withFlows: boolean }): Promise<void> {
    const regions = REGIONS.map((name) => databases[`region_${name}`]);
    await this.program('platform-migrate', { PLATFORM_ROLES: 'front-door', DATABASE_URL: databases.front_door.owner });
    for (const { owner, delivery } of regions)
      await this.program('platform-migrate', { PLATFORM_ROLES: 'region', DATABASE_URL: owner, DELIVERY_ROLE: roleIn(delivery) });
    await this.program('feed-consumer-migrate', { DATABASE_URL: databases.feed_consumer.owner });
    await this.program('twofa-migrate', { DATABASE_URL: databases.twofa.owner });
    if (withFlows) await this.program('flows-migrate', { DATABASE_URL: databases.flows.owner });
  }

  private async build(commit: string, progress: (line: string) => void): Promise<void> {
    const { root } = this;
    progress(`building ${this.name} in .cache/releases`);
    await rm(root, { recursive: true, force: true });
    await mkdir(root, { recursive: true });
    await inShell(`git -C '${ROOT}' archive ${commit} | tar -x -C '${root}' && cd '${root}' && node tools/run.mjs build && touch built`);
  }

  private contracts(): Promise<{ RATE_LIMITS: object }> {
    return import(join(this.root, 'libs/contracts/dist/index.js')) as Promise<{ RATE_LIMITS: object }>;
  }

  private async program(name: string, env: Record<string, string>): Promise<void> {
    await run(process.execPath, [join(this.root, 'bundle', `${name}.mjs`)], {
      env: { PATH: process.env['PATH'], NODE_ENV: 'development', ...env },
    });
  }
}

async function commitOf(ref: string): Promise<string> {
  try {
    return (await run('git', ['-C', ROOT, 'rev-parse', '--verify', `${ref}^{commit}`])).stdout.trim();
  } catch (cause) {
    throw new Error(`This repository has no commit '${ref}': name the one that runs now, as in --from v0.9.0.`, { cause });
  }
}

async function inShell(line: string): Promise<void> {
  const child = spawn('sh', ['-c', line], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error('The earlier release could not be built: see the message above.');
}
