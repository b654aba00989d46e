import { isProduction, type NodeEnv } from './node-env.ts';
import { ConfigFault } from './read-config.ts';

/** The variables of a configuration that describe the servers it connects to. */
interface Servers extends NodeEnv {
  NATS_URL?: string;
  NATS_CA?: string | undefined;
  NATS_CERT?: string | undefined;
  NATS_KEY?: string | undefined;
  DATABASE_URL?: string;
  DATABASE_CA?: string | undefined;
  DATABASES?: Readonly<Record<string, { url: string }>>;
}

/** Throws when a configuration would send anything in clear text beyond this machine. */
export function refuseClearText(config: Servers): void {
  const faults = clearTextFaults(config);
  if (faults.length > 0) throw new ConfigFault(faults);
}

/** Returns the faults by which a configuration would send private data in clear text, or trust a server that it cannot check. */
export function clearTextFaults(config: Servers): string[] {
  const isStrict = isProduction(config);
  const databases: [string, string][] = [
    ...(config.DATABASE_URL ? [['DATABASE_URL', config.DATABASE_URL] as [string, string]] : []),
    ...Object.entries(config.DATABASES ?? {}).map(([name, { url }]): [string, string] => [`DATABASES: ${name}`, url]),
  ];
  return [
    ...natsFaults(config, isStrict),
    ...databases.flatMap(([name, url]) => databaseFaults(name, url, { isStrict, hasCa: config.DATABASE_CA !== undefined })),
  ];
}

function natsFaults({ NATS_URL, NATS_CA, NATS_CERT, NATS_KEY }: Servers, isStrict: boolean): string[] {
  const servers = NATS_URL === undefined ? [] : NATS_URL.split(',').map((url) => new URL(url));
  const isClear = servers.some(({ protocol }) => protocol === 'nats:');
  const hasCertificates = [NATS_CA, NATS_CERT, NATS_KEY].some((given) => given !== undefined);
  return [
    ...(isClear && hasCertificates ? ['NATS_URL: must be tls://… where NATS_CA, NATS_CERT or NATS_KEY is given'] : []),
    ...((NATS_CERT === undefined) !== (NATS_KEY === undefined) ? ['NATS_CERT, NATS_KEY: give both or neither'] : []),
    ...(isClear && !hasCertificates && isStrict && !servers.every(({ hostname }) => isLoopback(hostname))
      ? ['NATS_URL: must be tls://… beyond this machine; production sends nothing in clear text (or set NODE_ENV=development)']
      : []),
  ];
}

/** Modes of libpq in which the connection is never in clear text. The server is checked in all of them, by certificate and name. */
const ENCRYPTED = ['require', 'verify-ca', 'verify-full'];

function databaseFaults(name: string, url: string, { isStrict, hasCa }: { isStrict: boolean; hasCa: boolean }): string[] {
  const mode = sslmodeOf(url);
  if (mode !== undefined && mode !== 'disable' && !ENCRYPTED.includes(mode))
    return [`${name}: its sslmode must be verify-full, or disable on this machine: others may go on in clear text`];
  const isEncrypted = mode === undefined ? hasCa || new URL(url).searchParams.has('sslrootcert') : mode !== 'disable';
  if (isEncrypted || !isStrict || isOnThisMachine(url)) return [];
  return [
    `${name}: must end in ?sslmode=verify-full beyond this machine; production sends nothing in clear text (or set NODE_ENV=development)`,
  ];
}

const sslmodeOf = (url: string): string | undefined => new URL(url).searchParams.get('sslmode') ?? undefined;

/** Whether a database is on this machine. As in libpq, a host in the query wins, and a host that is a path is a socket. */
function isOnThisMachine(url: string): boolean {
  const { hostname, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? decodeURIComponent(hostname);
  return host.startsWith('/') || isLoopback(host);
}

export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
