import { readFileSync } from 'node:fs';
import { currentText, withLiveMembers, type LiveText } from '../live-text.ts';

/** Where a database is, and how its server proves itself. */
export interface DatabaseAddress {
  url: string;
  /** The password of the user; it wins over the URL's. A function is called at each connect, so that it can be replaced. */
  password?: LiveText;
  /** The certificate authority of the server, as PEM; when absent, the authorities that Node trusts. */
  ca?: LiveText;
  /** The certificate and the key that this client proves itself with, as PEM. */
  cert?: LiveText;
  key?: LiveText;
}

interface Connection {
  /** Without a password. */
  url: string;
  password: () => string | undefined;
  ssl: false | { host: string; rejectUnauthorized: true; ca?: string; cert?: string; key?: string };
}

const SSL_PARAMETERS = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'];

/**
 * Returns the options of a connection. For the driver, what a URL says takes precedence over all other options, even an absent password,
 * and the driver reads `sslmode` in its own way. So the URL is read here, with the parameter names of libpq. A connection with TLS never
 * goes back to clear text, and the server's certificate and name are checked.
 */
export function connectionTo({ url, password, ca, cert, key }: DatabaseAddress): Connection {
  const address = new URL(url);
  const { searchParams } = address;
  const given = Object.fromEntries(SSL_PARAMETERS.map((name) => [name, searchParams.get(name) ?? undefined]));
  for (const name of SSL_PARAMETERS) searchParams.delete(name);
  const own = passwordIn(url);
  address.password = '';
  const mode = given['sslmode'];
  const { sslrootcert = ca, sslcert = cert, sslkey = key } = filesOf(given);
  const isClear = mode === undefined ? sslrootcert === undefined : mode === 'disable';
  const host = searchParams.get('host') ?? address.hostname.replace(/^\[|\]$/g, '');
  return {
    url: address.href,
    password: () => currentText(password) ?? own,
    ssl:
      !isClear &&
      (Object.defineProperties(withLiveMembers({ ca: sslrootcert, cert: sslcert, key: sslkey }), {
        host: { value: host, enumerable: true },
        rejectUnauthorized: { value: true, enumerable: true },
      }) as Exclude<Connection['ssl'], false>),
  };
}

/** Returns the contents of the files that a URL names in the way of libpq; they are read at each connect. */
function filesOf({
  sslrootcert,
  sslcert,
  sslkey,
}: Record<string, string | undefined>): Record<'sslrootcert' | 'sslcert' | 'sslkey', LiveText> {
  const content = (path: string | undefined) => (path === undefined ? undefined : () => readFileSync(path, 'utf8'));
  return { sslrootcert: content(sslrootcert), sslcert: content(sslcert), sslkey: content(sslkey) };
}

export const passwordIn = (url: string): string | undefined => decodeURIComponent(new URL(url).password) || undefined;
