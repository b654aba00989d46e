/** What one server allows to whom. */
export interface NatsConfig {
  accounts: Record<string, NatsAccount>;
  /** The account whose users see the server's own events, one of `accounts`. */
  system_account?: string;
  /** In bytes; 1 MiB when absent. */
  max_payload?: number;
  /** Absent, it stands alone. In the words of its configuration. */
  cluster?: NatsCluster;
  /** Absent, it speaks in clear text. In the words of its configuration. */
  tls?: { cert_file: string; key_file: string; ca_file?: string; verify?: boolean; handshake_first?: boolean | string };
}

export interface NatsCluster {
  name: string;
  listen: string;
  routes: readonly string[];
  /** What nodes show to each other. */
  authorization?: { user: string; password: string };
}

/** Subjects of one account are invisible to another, but for services that one exports and the other imports. */
export interface NatsAccount {
  jetstream?: boolean;
  users: NatsUser[];
  exports?: readonly object[];
  imports?: readonly object[];
  /** What is said on one subject is said on another in its place. */
  mappings?: Readonly<Record<string, string>>;
}

export interface NatsUser {
  user: string;
  password: string;
  /** Subjects this user may publish to; all when absent, none when empty. */
  publish?: string[];
  subscribe?: string[];
  /** May answer a request it has received, wherever the answer goes. */
  allow_responses?: boolean;
}

export interface NatsListen {
  name: string;
  host: string;
  port: number;
  store_dir: string;
  /** Every write reaches the disk before it is acknowledged. */
  durable: boolean;
}

/**
 * Streams reserve what they may grow to, and a server takes no more than three quarters of the free space. Those of tests hold little, and
 * may lie in memory, where little is free.
 */
const RESERVABLE = 1024 ** 4;

/** The server's own two seconds are over on a machine with much else to do, and then it says that it knows no such user. */
const LOGIN_SECONDS = 60;

/** The configuration file: its language includes JSON, so JSON it is. */
export function natsConfigFile(config: NatsConfig, { name, host, port, store_dir, durable }: NatsListen): string {
  const accounts = Object.entries(config.accounts).map(
    ([account, { jetstream = false, users, ...shared }]) =>
      [account, { jetstream: jetstream ? 'enabled' : 'disabled', users: users.map(userEntry), ...shared }] as const,
  );
  const file = {
    server_name: name,
    listen: `${host}:${port}`,
    max_payload: config.max_payload ?? 1024 * 1024,
    authorization: { timeout: LOGIN_SECONDS },
    jetstream: {
      store_dir,
      max_memory_store: 256 * 1024 * 1024,
      ...(durable ? { sync_interval: 'always' } : { max_file_store: RESERVABLE }),
    },
    accounts: Object.fromEntries(accounts),
    ...(config.cluster && { cluster: config.cluster }),
    ...(config.tls && { tls: config.tls }),
    ...(config.system_account && { system_account: config.system_account }),
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

function userEntry({ user, password, publish, subscribe, allow_responses }: NatsUser) {
  return {
    user: plain('user name', user),
    password: plain(`password of ${user}`, password),
    permissions: {
      ...(publish && { publish: only(publish) }),
      ...(subscribe && { subscribe: only(subscribe) }),
      ...(allow_responses && { allow_responses: true }),
    },
  };
}

/** The server takes an empty list for no rule at all, so nothing is said as a refusal of everything. */
const only = (subjects: string[]) => (subjects.length > 0 ? { allow: subjects } : { deny: ['>'] });

/** Its language knows only some of the escapes of JSON, and takes `$2a$…` for a bcrypt hash. */
function plain(what: string, value: string): string {
  if (/^[\x21-\x7e]+$/.test(value) && !/["\\]|^\$2[aby]?\$/.test(value)) return value;
  throw new Error(
    `The ${what} cannot be written into a nats-server configuration: use printable ASCII without blanks, quotes and backslashes.`,
  );
}
