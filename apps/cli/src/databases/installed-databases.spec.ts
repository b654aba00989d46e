import { UsageFault } from '@codase/command-line';
import { inTempTree } from '@codase/testing/temp-tree';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { chosen, namedDatabases, namesDatabases, withDatabase } from './installed-databases.ts';
import { connectionEnv, findTool } from './postgres-tools.ts';

const ENV = {
  REGION_EU_DATABASE_URL: 'postgres://region_eu_owner@db:5433/region_eu?sslmode=verify-full',
  REGION_EU_DATABASE_PASSWORD: 'of the region',
  TWOFA_DATABASE_URL: 'postgres://twofa_owner:in%20there@db/twofa',
  DATABASE_CA: '-----BEGIN CERTIFICATE-----',
  ADMIN_DATABASE_URL: 'postgres://postgres@db/postgres',
};

describe('databases named by environment variables', () => {
  it('are opened as their owner role, with the CA that all of them share', () => {
    expect(namesDatabases({ DATABASE_URL: 'x', REGION_EU_DATABASE_URL: '' })).toBe(false);
    expect(namesDatabases(ENV)).toBe(true);
    const { databases, adminUrl } = namedDatabases(ENV);

    expect(adminUrl).toBe(ENV.ADMIN_DATABASE_URL);
    expect(databases).toEqual([
      {
        name: 'region-eu',
        kind: 'region',
        owner: { url: ENV.REGION_EU_DATABASE_URL, password: 'of the region', ca: ENV.DATABASE_CA },
        deliveryRole: 'region_eu_delivery',
      },
      { name: 'twofa', kind: 'twofa', owner: { url: ENV.TWOFA_DATABASE_URL, ca: ENV.DATABASE_CA } },
    ]);
    expect(chosen({ databases }, ['twofa']).map(({ name }) => name)).toEqual(['twofa']);
    expect(() => chosen({ databases }, ['flows'])).toThrow(UsageFault);
  });

  it('have their credentials passed to Postgres tools in variables and files, never as arguments', () =>
    inTempTree({}, async (folder) => {
      const [region, twofa] = namedDatabases(ENV).databases;
      const env = connectionEnv(withDatabase(region!.owner, 'region_eu_restored'), folder);

      expect(env).toMatchObject({
        PGHOST: 'db',
        PGPORT: '5433',
        PGUSER: 'region_eu_owner',
        PGDATABASE: 'region_eu_restored',
        PGPASSWORD: 'of the region',
        PGSSLMODE: 'verify-full',
      });
      expect(readFileSync(env['PGSSLROOTCERT']!, 'utf8')).toBe(ENV.DATABASE_CA);
      expect(existsSync(`${folder}/key.pem`)).toBe(false);
      expect(connectionEnv(twofa!.owner, folder)).toMatchObject({ PGPORT: '5432', PGPASSWORD: 'in there' });
    }));
});

describe('Postgres tools', () => {
  it('are refused when missing or older than the server, and the error says how to fix it', async () => {
    await inTempTree({ pg_dump: '#!/bin/sh\necho "pg_dump (PostgreSQL) 15.3"\n' }, async (bin) => {
      chmodSync(`${bin}/pg_dump`, 0o755);
      const find = (tool: 'pg_dump' | 'pg_restore', serverMajor: number) => findTool(tool, { serverMajor, bin, otherwise: '; or --copy' });

      expect(await find('pg_dump', 15)).toEqual({ path: `${bin}/pg_dump`, version: '15.3' });
      await expect(find('pg_dump', 18)).rejects.toThrow(
        /^pg_dump 15\.3 of PG_BIN .* is older than the server, which is Postgres 18: set PG_BIN/,
      );
      await expect(find('pg_restore', 15)).rejects.toThrow(/^There is no pg_restore on PG_BIN .*; or --copy\.$/);
    });
  });
});
