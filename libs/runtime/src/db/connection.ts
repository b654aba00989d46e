import { readFileSync } from 'node:fs';
import { currentText, withLiveMembers, type LiveText } from '../live-text.ts';

/** Where a database is, and how its server proves itself. */
export interface DatabaseAddress {
  url: string;
  /** Of the user in the URL; goes before one in there. A function is asked at each connect, so that it is replaced without a restart. */
  password?: LiveText;
  /** PEM: who signed the server's certificate; absent, the authorities that Node trusts. */
  ca?: LiveText;
  /** PEM: what this client proves itself with. */
  cert?: LiveText;
  key?: LiveText;
}

export interface Connection {
  /** Without a password. */
  url: string;
  password: () => string | undefined;
  ssl: false | { host: string; rejectUnauthorized: true; ca?: string; cert?: string; key?: string };
}

const SSL_PARAMETERS = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'];

/**
 * The driver lets members of a URL go before all others, an absent password among them, and reads `sslmode` in its own way: it is read
 * here, as libpq names it. Where there is TLS there is no way back to clear text, and the server's certificate and name are checked.
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

/** Files that a URL names, as libpq does, are read at each connect. */
function filesOf({
  sslrootcert,
  sslcert,
  sslkey,
}: Record<string, string | undefined>): Record<'sslrootcert' | 'sslcert' | 'sslkey', LiveText> {
  const content = (path: string | undefined) => (path === undefined ? undefined : () => readFileSync(path, 'utf8'));
  return { sslrootcert: content(sslrootcert), sslcert: content(sslcert), sslkey: content(sslkey) };
}

export const passwordIn = (url: string): string | undefined => decodeURIComponent(new URL(url).password) || undefined;
