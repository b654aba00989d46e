import { z } from 'zod';
import { isNetwork } from '../http/public-address.ts';
import { nodeEnv } from './node-env.ts';

/** Pieces that an app's configuration schema is built from. Every message says what is expected. */

export const port = z.coerce
  .number('a port number')
  .int('a port number')
  .min(0, 'a port from 0 to 65535')
  .max(65535, 'a port from 0 to 65535');

export const seconds = (otherwise: number) => z.coerce.number('seconds').min(0, 'seconds, 0 or more').default(otherwise);

export const httpUrl = z.url({ protocol: /^https?$/, error: 'an http or https URL' }).transform((url) => url.replace(/\/$/, ''));

const NATS_SERVERS = 'a URL such as nats://127.0.0.1:4222, or those of several servers of one cluster, separated by commas';
const isNatsUrl = (text: string) => URL.canParse(text) && /^(nats|tls):$/.test(new URL(text).protocol);

/** The servers of a cluster, separated by commas; all with TLS, or none. */
export const natsUrl = z.string(NATS_SERVERS).transform((text, context) => {
  const urls = text.split(',').map((one) => one.trim());
  const fault = !urls.every(isNatsUrl)
    ? NATS_SERVERS
    : new Set(urls.map((url) => new URL(url).protocol)).size > 1 && 'URLs that all begin with tls:, or none of them';
  if (fault) context.addIssue({ code: 'custom', message: fault });
  return urls.join(',');
});

export const postgresUrl = z.url({ protocol: /^postgres(ql)?$/, error: 'a URL such as postgres://user@host:5432/database' });

export const network = z.string().refine(isNetwork, 'addresses or networks such as 203.0.113.7 or 2001:db8::/32, separated by commas');

/** Several values of one kind, separated by commas; none when the variable is absent. */
export const commaList = <S extends z.ZodType>(entry: S) =>
  z
    .string()
    .default('')
    .transform((text) =>
      text
        .split(',')
        .map((one) => one.trim())
        .filter(Boolean),
    )
    .pipe(z.array(entry) as unknown as z.ZodType<z.output<S>[], string[]>);

/** JSON in a variable or, better, in the file that its _FILE variable names. */
export const json = <S extends z.ZodType>(shape: S) =>
  z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue({ code: 'custom', message: 'valid JSON' });
        return z.NEVER;
      }
    })
    .pipe(shape);

/** A certificate or key, in a variable or, better, in a file. */
export const pem = z.string().includes('-----BEGIN', 'PEM, with its line of BEGIN').optional();

/** `first`, the default: TLS stands before anything is read. `after-info`: after the server's first message, its default. */
export const tlsHandshake = z.enum(['first', 'after-info'], 'first or after-info').optional();

/** What every service needs, whatever it does. */
export const serviceConfig = z.object({
  /** The address of probes and metrics; never exposed to callers. */
  OPS_HOST: z.string().default('127.0.0.1'),
  OPS_PORT: port,
  NATS_URL: natsUrl,
  /** Absent when the server asks for no user. */
  NATS_USER: z.string('a user name').min(1).optional(),
  NATS_PASSWORD: z.string('a password').min(1).optional(),
  /** The authority that signed the server's certificate, and the certificate and key of this client; only for tls://. */
  NATS_CA: pem,
  NATS_CERT: pem,
  NATS_KEY: pem,
  NATS_TLS_HANDSHAKE: tlsHandshake,
  /** `followed` lets an operator move time in development; production refuses it. */
  CLOCK: z.enum(['system', 'followed'], 'system or followed').default('system'),
  NODE_ENV: nodeEnv,
  SHUTDOWN_SECONDS: seconds(10),
  /** How long to wait for a Postgres or NATS that is still coming up. */
  CONNECT_SECONDS: seconds(15),
});
export type ServiceConfig = z.infer<typeof serviceConfig>;

/** The further configuration of a service with an HTTP server: how much of the server callers may hold at once. */
export const httpServerConfig = z.object({
  /** The most open connections, in all and of one address (a /64 of IPv6). Trusted proxies are not counted by address. */
  MAX_CONNECTIONS: z.coerce.number('a number of connections').int().min(1, 'a number of connections, 1 or more').default(4096),
  MAX_CONNECTIONS_PER_ADDRESS: z.coerce.number('a number of connections').int().min(1, 'a number of connections, 1 or more').default(256),
  /** How long the headers of a request may take to come. */
  HEADERS_SECONDS: z.coerce.number('seconds').min(1, 'seconds, 1 or more').max(60, 'seconds, up to 60').default(10),
  /** The memory that bodies may take in this process, in all its HTTP servers. The largest body takes half of the least value. */
  BODY_MEMORY_MB: z.coerce.number('megabytes').int().min(192, 'megabytes, 192 or more').default(256),
});
export type HttpServerConfig = z.infer<typeof httpServerConfig>;

export const databaseConfig = z.object({
  /** A URL that ends in ?sslmode=verify-full when the server is not on this machine. */
  DATABASE_URL: postgresUrl,
  /** The password of the user in DATABASE_URL, when the URL does not hold it. */
  DATABASE_PASSWORD: z.string('a password').min(1).optional(),
  /** The authority that signed the server's certificate, and the certificate and key of this client. */
  DATABASE_CA: pem,
  DATABASE_CERT: pem,
  DATABASE_KEY: pem,
  DATABASE_POOL: z.coerce.number('a number of connections').int().min(1).max(100).default(10),
});
