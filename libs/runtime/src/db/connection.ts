import { readFileSync } from 'node:fs';

/** Where a database is, and how its server proves itself. */
export interface DatabaseAddress {
  url: string;
  /** Of the user in the URL; goes before one in there. */
  password?: string | undefined;
  /** PEM: who signed the server's certificate; absent, the authorities that Node trusts. */
  ca?: string | undefined;
  /** PEM: what this client proves itself with. */
  cert?: string | undefined;
  key?: string | undefined;
}

export interface Connection {
  url: string;
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
  if (password !== undefined) address.password = encodeURIComponent(password);
  const [root = ca, own = cert, ownKey = key] = [given['sslrootcert'], given['sslcert'], given['sslkey']].map(contentOf);
  const isClear = given['sslmode'] === undefined ? root === undefined : given['sslmode'] === 'disable';
  const host = searchParams.get('host') ?? address.hostname.replace(/^\[|\]$/g, '');
  return {
    url: address.href,
    ssl: !isClear && {
      host,
      rejectUnauthorized: true,
      ...(root && { ca: root }),
      ...(own && { cert: own }),
      ...(ownKey && { key: ownKey }),
    },
  };
}

const contentOf = (path: string | undefined): string | undefined => (path === undefined ? undefined : readFileSync(path, 'utf8'));
