/** The accounts, users and limits of one server. */
export interface NatsConfig {
  accounts: Record<string, NatsAccount>;
  /** The account whose users see the server's own events, one of `accounts`. */
  system_account?: string;
  /** The largest message in bytes; 1 MiB when absent. */
  max_payload?: number;
  /** The cluster that the server is a node of; none when absent. The names are those of nats-server's configuration. */
  cluster?: NatsCluster;
  /** The TLS settings; clear text when absent. The names are those of nats-server's configuration. */
  tls?: { cert_file: string; key_file: string; ca_file?: string; verify?: boolean; handshake_first?: boolean | string };
}

export interface NatsCluster {
  name: string;
  listen: string;
  routes: readonly string[];
  /** The user and password by which nodes know each other. */
  authorization?: { user: string; password: string };
}

/** An account. Its subjects are invisible to other accounts, except for services that one exports and another imports. */
export interface NatsAccount {
  jetstream?: boolean;
  users: NatsUser[];
  exports?: readonly object[];
  imports?: readonly object[];
  /** A message on the subject of a key is delivered on the subject of its value instead. */
  mappings?: Readonly<Record<string, string>>;
}

export interface NatsUser {
  user: string;
  password: string;
  /** Subjects this user may publish to; all when absent, none when empty. */
  publish?: string[];
  subscribe?: string[];
  /** Whether the user may answer a request that it has received, wherever the answer goes. */
  allow_responses?: boolean;
}

interface NatsListen {
  name: string;
  host: string;
  port: number;
  store_dir: string;
  /** Whether every write reaches the disk before it is acknowledged. */
  durable: boolean;
}

/**
 * The storage that streams of tests may reserve. Streams reserve the size that they may grow to, and a server gives no more than three
 * quarters of the free space. Streams of tests hold little, and may lie in memory, where little is free.
 */
const RESERVABLE = 1024 ** 4;

/** The time for a login. After the usual two seconds a busy server says that it knows no such user. */
const LOGIN_SECONDS = 60;

/** Writes the configuration file as JSON, which the language of the file includes. */
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

/** The rule for a list of subjects. The server takes an empty list for no rule at all, so an empty list becomes a refusal of everything. */
const only = (subjects: string[]) => (subjects.length > 0 ? { allow: subjects } : { deny: ['>'] });

/** Returns the value, or throws: the language of the file knows only some escapes of JSON, and takes `$2a$…` for a bcrypt hash. */
function plain(what: string, value: string): string {
  if (/^[\x21-\x7e]+$/.test(value) && !/["\\]|^\$2[aby]?\$/.test(value)) return value;
  throw new Error(
    `The ${what} cannot be written into a nats-server configuration: use printable ASCII without blanks, quotes and backslashes.`,
  );
}
