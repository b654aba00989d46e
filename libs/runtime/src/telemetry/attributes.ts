import { z } from 'zod';

/**
 * The closed list of attributes that a span, a metric or a line of the log may have. One that is not here is not recorded: the types refuse
 * it in our code, and the exporter drops it when a library wrote it. Nothing here can hold a person's value, a token, a secret, a one-time
 * key or digits.
 */
const Known = z.object({
  'http.request.method': z.string(),
  /** The route template, never the URL of the request. */
  'http.route': z.string(),
  'http.response.status_code': z.number(),
  'server.address': z.string(),
  'server.port': z.number(),
  'messaging.system': z.enum(['nats']),
  'messaging.operation.type': z.enum(['send', 'process', 'receive']),
  /** The subject's pattern. */
  'messaging.destination.template': z.string(),
  'messaging.consumer.group.name': z.string(),
  'messaging.message.id': z.string(),
  'db.system.name': z.string(),
  'db.system': z.string(),
  'db.namespace': z.string(),
  'db.name': z.string(),
  'error.type': z.string(),
  /** A key of the error catalogue. */
  'codase.error_key': z.string(),
  'codase.region': z.string(),
  /** The front door, or a region, whose transparency log another base follows. */
  'codase.base': z.string(),
  'codase.role': z.string(),
  'codase.service': z.string(),
  'codase.client_id': z.string(),
  /** A user of the bus. */
  'codase.caller': z.string(),
  'codase.check': z.string(),
  /** A pool of database connections by its name. */
  'codase.pool': z.string(),
  /** The state of connections of a pool, of objects in an object store, or of runs of contract flows at the platform and in the suite. */
  'codase.state': z.enum([
    'used',
    'idle',
    'uploading',
    'stored',
    'deleting',
    'awaiting',
    'generating',
    'awaiting_signature',
    'watched',
    'open',
    'taken',
    'answered',
    'parked',
  ]),
  /** The operation of a file store. */
  'codase.operation': z.enum(['put', 'get', 'has', 'delete', 'list']),
  /** The kind of store that holds the files. */
  'codase.store': z.enum(['postgres', 's3']),
  /** A rate limit or a limit of connections, by its name. */
  'codase.fault': z.string(),
  'codase.limit': z.string(),
  'codase.deliveries': z.number(),
  'codase.attempt': z.number(),
  'codase.count': z.number(),
  'codase.milliseconds': z.number(),
  /** An address of our own, which a server listens on, never one that a caller sent. */
  'codase.url': z.string(),
  'codase.signal': z.string(),
  /** The name of a list of keys, and the ids of its keys, which say nothing of the keys. */
  'codase.key_list': z.string(),
  'codase.key_ids': z.string(),
  /** How a login ended, by the contracts; how a request was answered: ok, refused or failed; who answered a turn. */
  'codase.outcome': z.string(),
});
export type Attributes = Partial<z.infer<typeof Known>>;

/** Keeps the attributes that are on the list, and drops all others. */
export const onlyKnown = <V>(attributes: Readonly<Record<string, V>>): Record<string, V> =>
  Object.fromEntries(Object.entries(attributes).filter(([name]) => Object.hasOwn(Known.shape, name)));
