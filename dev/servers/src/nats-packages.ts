import { readFileSync } from 'node:fs';
import type { Mirror } from './apt-sources.ts';

/** A Debian package of nats-server that was looked at: its version, a time at which Debian's snapshots have it, and its hashes. */
interface NatsPackage {
  version: string;
  snapshot: string;
  sha256: Readonly<Record<string, string>>;
}

/** Where a known package is, and the hash that says it is that one. */
interface PinnedPackage {
  version: string;
  sha256: string;
  /** Addresses to try in turn. The hash is checked, so it does not matter who answers. */
  urls: string[];
}

/** The file beside the pin of Node: a reader finds in one place what is fetched. */
export const NATS_PACKAGES_FILE = 'tools/nats-server.json';
const readPackages = (): NatsPackage[] =>
  JSON.parse(readFileSync(new URL(`../../../${NATS_PACKAGES_FILE}`, import.meta.url), 'utf8')) as NatsPackage[];

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
const DEBIAN = 'http://deb.debian.org/debian';
const SNAPSHOTS = 'https://snapshot.debian.org/archive/debian';

/**
 * Returns the known packages for a system, newest first. Each is looked for in the machine's own mirrors and at Debian, which have it until
 * the next version comes, and in Debian's snapshots, which keep it.
 */
export function pinnedPackages(
  mirrors: readonly Pick<Mirror, 'uri'>[],
  architecture: string = process.arch,
  packages: readonly NatsPackage[] = readPackages(),
): PinnedPackage[] {
  const arch = ARCHITECTURES[architecture];
  return packages.flatMap(({ version, snapshot, sha256: hashes }) => {
    const sha256 = arch && hashes[arch];
    if (!sha256) return [];
    const archives = new Set([...mirrors.map(({ uri }) => uri.replace(/\/$/, '')), DEBIAN, `${SNAPSHOTS}/${snapshot}`]);
    return [{ version, sha256, urls: [...archives].map((uri) => `${uri}/pool/main/n/nats-server/nats-server_${version}_${arch}.deb`) }];
  });
}
