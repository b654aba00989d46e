/**
 * The closed list of attributes that a span, a metric or a line of the log may have. One that is not here is not recorded: the types refuse
 * it in our code, and the exporter drops it when a library wrote it. Nothing here can hold a person's value, a token, a secret, a one-time
 * key or digits.
 */
export interface Attributes {
  'http.request.method'?: string;
  /** The route template, never the URL of the request. */
  'http.route'?: string;
  'http.response.status_code'?: number;
  'server.address'?: string;
  'server.port'?: number;
  'messaging.system'?: 'nats';
  'messaging.operation.type'?: 'send' | 'process' | 'receive';
  /** The subject's pattern. */
  'messaging.destination.template'?: string;
  'messaging.consumer.group.name'?: string;
  'messaging.message.id'?: string;
  'db.system.name'?: string;
  'db.system'?: string;
  'db.namespace'?: string;
  'db.name'?: string;
  'error.type'?: string;
  /** A key of the error catalogue. */
  'codase.error_key'?: string;
  'codase.region'?: string;
  'codase.role'?: string;
  'codase.service'?: string;
  'codase.client_id'?: string;
  /** A user of the bus. */
  'codase.caller'?: string;
  'codase.check'?: string;
  /** A pool of database connections by its name. */
  'codase.pool'?: string;
  /** The state of connections of a pool, of objects in an object store, or of runs of contract flows at the platform and in the suite. */
  'codase.state'?:
    | ('used' | 'idle' | 'uploading' | 'stored' | 'deleting')
    | ('awaiting' | 'generating' | 'awaiting_signature')
    | ('watched' | 'open' | 'taken' | 'answered' | 'parked');
  /** The operation of a file store. */
  'codase.operation'?: 'put' | 'get' | 'has' | 'delete' | 'list';
  /** The kind of store that holds the files. */
  'codase.store'?: 'postgres' | 's3';
  /** A rate limit or a limit of connections, by its name. */
  'codase.limit'?: string;
  'codase.deliveries'?: number;
  'codase.attempt'?: number;
  'codase.count'?: number;
  'codase.milliseconds'?: number;
  /** An address of our own, which a server listens on, never one that a caller sent. */
  'codase.url'?: string;
  'codase.signal'?: string;
  /** The name of a list of keys, and the ids of its keys, which say nothing of the keys. */
  'codase.key_list'?: string;
  'codase.key_ids'?: string;
  /** How a login ended, by the contracts; how a request was answered: ok, refused or failed; who answered a turn. */
  'codase.outcome'?: string;
}

type Known = { [K in keyof Required<Attributes>]: true };

const KNOWN: Known = {
  'http.request.method': true,
  'http.route': true,
  'http.response.status_code': true,
  'server.address': true,
  'server.port': true,
  'messaging.system': true,
  'messaging.operation.type': true,
  'messaging.destination.template': true,
  'messaging.consumer.group.name': true,
  'messaging.message.id': true,
  'db.system.name': true,
  'db.system': true,
  'db.namespace': true,
  'db.name': true,
  'error.type': true,
  'codase.error_key': true,
  'codase.region': true,
  'codase.role': true,
  'codase.service': true,
  'codase.client_id': true,
  'codase.caller': true,
  'codase.check': true,
  'codase.pool': true,
  'codase.state': true,
  'codase.operation': true,
  'codase.store': true,
  'codase.limit': true,
  'codase.deliveries': true,
  'codase.attempt': true,
  'codase.count': true,
  'codase.milliseconds': true,
  'codase.url': true,
  'codase.signal': true,
  'codase.key_list': true,
  'codase.key_ids': true,
  'codase.outcome': true,
};

/** Keeps the attributes that are on the list, and drops all others. */
export const onlyKnown = <V>(attributes: Readonly<Record<string, V>>): Record<string, V> =>
  Object.fromEntries(Object.entries(attributes).filter(([name]) => Object.hasOwn(KNOWN, name)));
