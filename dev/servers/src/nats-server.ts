import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { aptDownload, machineMirrors, pinnedDownload } from './apt-download.ts';
import type { Mirror } from './apt-sources.ts';
import { command } from './command.ts';
import { chosenDriver, imageProblem, natsImage, type Driver } from './containers.ts';
import { isAtLeast, lacks, newestOnPath, onPath, versionOf } from './nats-binary.ts';
import type { NatsBinary, NatsServer } from './nats-command.ts';
import { NATS_PACKAGES_FILE, pinnedPackages } from './nats-packages.ts';
import type { Progress } from './progress.ts';
import { isRoot } from './system-user.ts';

/** Where a nats-server may come from, in the order of trying. */
const NATS_SOURCES = ['NATS_SERVER_BIN', 'cache', 'PATH', 'pinned', 'mirror', 'older PATH', 'package manager', 'container'] as const;
export type NatsSource = (typeof NATS_SOURCES)[number];

const SOURCES_OF: Record<Driver, readonly NatsSource[]> = {
  binary: NATS_SOURCES.filter((source) => source !== 'container'),
  containers: ['container'],
};

interface NatsSearch {
  /** The folder in which a downloaded nats-server is kept. */
  cacheDir: string;
  progress?: Progress;
  /** The sources to try; when absent, those of the driver that CODASE_INFRA names, or all. */
  sources?: readonly NatsSource[];
  env?: NodeJS.ProcessEnv;
}

type Search = Required<Omit<NatsSearch, 'sources'>>;

/** A server, or why there is none. */
type Found = NatsServer | string;

/** Finds the newest nats-server that needs no installation. Throws an error that says what was tried and how to mend it. */
export async function findNatsServer(search: NatsSearch): Promise<NatsServer> {
  const { cacheDir, progress = () => undefined, env = process.env } = search;
  const driver = chosenDriver(env);
  const sources = search.sources ?? (driver ? SOURCES_OF[driver] : NATS_SOURCES);
  const reasons: string[] = [];
  for (const source of sources) {
    const found = await FIND[source]({ cacheDir, progress, env });
    if (typeof found !== 'string') return announced(found, progress);
    reasons.push(`  ${source}: ${found}`);
  }
  const mend = 'Put nats-server 2.12 or later (https://nats.io/download) on the PATH, set NATS_SERVER_BIN to its path, or NATS_URL to';
  throw new Error(['No nats-server is to be had. Tried:', ...reasons, `${mend} a running one.`].join('\n'));
}

const FIND: Record<NatsSource, (search: Search) => Promise<Found>> = {
  async NATS_SERVER_BIN({ env }) {
    if (!env.NATS_SERVER_BIN) return 'not set';
    const version = await versionOf(env.NATS_SERVER_BIN);
    if (version) return { kind: 'binary', path: env.NATS_SERVER_BIN, version, from: 'NATS_SERVER_BIN' };
    throw new Error(`NATS_SERVER_BIN is ${env.NATS_SERVER_BIN}, which is no nats-server that runs here. Correct it or unset it.`);
  },

  async cache({ cacheDir }) {
    const path = cachePath(cacheDir);
    const version = await versionOf(path);
    return version ? { kind: 'binary', path, version, from: 'cache' } : `nothing that runs at ${path}`;
  },

  async PATH({ env }) {
    const newest = await newestOnPath(env);
    if (!newest) return 'not there';
    return isAtLeast(newest.version, '2.12') ? newest : `${newest.path} is ${newest.version}, older than 2.12`;
  },

  async pinned({ cacheDir, progress, env }) {
    if ((await onPath('apt-get', env)).length === 0) return 'no apt-get';
    const known = pinnedPackages(await machineMirrors());
    if (known.length === 0) return `${NATS_PACKAGES_FILE} names no package for ${process.platform}-${process.arch}`;
    const reasons: string[] = [];
    for (const { version, sha256, urls } of known) {
      for (const url of urls) {
        progress(`fetching nats-server ${version} from ${new URL(url).host}`);
        const found = await kept(cacheDir, 'pinned', (target) =>
          pinnedDownload({ name: 'nats-server', target, url, sha256, namedIn: NATS_PACKAGES_FILE }, cacheDir),
        );
        if (typeof found !== 'string') return found;
        if (found.includes('SHA-256')) progress(found);
        reasons.push(`${version} of ${new URL(url).host}: ${found}`);
      }
    }
    return reasons.join('; ');
  },

  /** A version that was not looked at, when none of the known ones is to be had any more: the keys of the distribution vouch for it. */
  async mirror({ cacheDir, progress, env }) {
    if ((await onPath('apt-get', env)).length === 0) return 'no apt-get';
    const mirrors = await machineMirrors();
    if (mirrors.length === 0) return 'no mirror of Debian or Ubuntu among the sources of apt';
    const reasons: string[] = [];
    for (const mirror of mirrors) {
      progress(`fetching nats-server from ${mirror.uri} ${mirror.suite}, which its keys vouch for: ${NATS_PACKAGES_FILE} does not name it`);
      const found = await download(cacheDir, 'mirror', mirror);
      if (typeof found !== 'string') return found;
      reasons.push(`${mirror.suite}: ${found}`);
    }
    return reasons.join('; ');
  },

  async 'older PATH'({ env }) {
    return (await newestOnPath(env)) ?? 'not there';
  },

  async 'package manager'(search) {
    for (const [program, install] of Object.entries(PACKAGE_MANAGERS)) {
      if ((await onPath(program, search.env)).length === 0) continue;
      search.progress(`getting nats-server with ${program}`);
      return install(search);
    }
    return `none of ${Object.keys(PACKAGE_MANAGERS).join(', ')}`;
  },

  async container({ progress, env }) {
    const image = natsImage(env);
    const problem = await imageProblem(image, progress);
    return problem === undefined ? { kind: 'container', image } : `${image}: ${problem}`;
  },
};

/** The package managers that have nats-server. Apt installs nothing: the package would start a server of its own on port 4222. */
const PACKAGE_MANAGERS: Record<string, (search: Search) => Promise<Found>> = {
  'apt-get': ({ cacheDir }) => download(cacheDir, 'package manager'),
  brew: ({ env }) => installed(env, 'brew', 'install', 'nats-server'),
  apk: async ({ env }) => (isRoot() ? installed(env, 'apk', 'add', '--no-cache', 'nats-server') : 'apk needs root'),
};

async function installed(env: NodeJS.ProcessEnv, manager: string, ...args: string[]): Promise<Found> {
  const { ok, problem } = await command(manager, args, { seconds: 600, env });
  if (!ok) return problem;
  const newest = await newestOnPath(env);
  return newest ? { ...newest, from: 'package manager' } : `${manager} ended well, yet there is no nats-server on the PATH`;
}

/** Downloads nats-server into the cache. Only a program that runs here is kept: that of a newer release may need newer libraries. */
const download = (cacheDir: string, from: NatsBinary['from'], mirror?: Mirror): Promise<Found> =>
  kept(cacheDir, from, (target) => aptDownload({ name: 'nats-server', target, mirror }, cacheDir));

/** Fetches a nats-server to a target, and keeps it in the cache when it runs here. */
async function kept(cacheDir: string, from: NatsBinary['from'], fetchTo: (target: string) => Promise<string>): Promise<Found> {
  const target = `${cachePath(cacheDir)}.${process.pid}`;
  try {
    const problem = await fetchTo(target);
    if (problem) return problem;
    const version = await versionOf(target);
    if (!version) return 'its program does not run on this system';
    await rename(target, cachePath(cacheDir));
    return { kind: 'binary', path: cachePath(cacheDir), version, from };
  } catch (error) {
    return (error as Error).message;
  } finally {
    await rm(target, { force: true });
  }
}

/** The path in the cache. It names the platform, because a checkout may be shared between machines of different kinds. */
const cachePath = (cacheDir: string): string => join(cacheDir, `nats-server-${process.platform}-${process.arch}`);

/** Reports the features that a nats-server lacks, if any. */
function announced(server: NatsServer, progress: Progress): NatsServer {
  if (server.kind === 'container') return server;
  const missing = lacks(server.version);
  const again = server.from === 'cache' ? '; delete it to look for a newer one' : '';
  if (missing.length > 0) progress(`nats-server ${server.version} (${server.path}) lacks ${missing.join(' and ')}${again}`);
  return server;
}
