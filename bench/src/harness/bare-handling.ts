import { importValuePrivateKey, openValue, type ValuePrivateKey } from '@cds/crypto/open';
import { Pool } from 'pg';
import type { Sample } from './bench.ts';

/** As many as the partitions of a feed. */
const LANES = 16;

/** The floor of whatever handles events: open a value, and commit a note and an effect, with no bus and no other process between. */
export class BareHandling {
  private done = 0;

  private constructor(private readonly pool: Pool, private readonly key: ValuePrivateKey, private readonly sealed: readonly string[]) {}

  /** The private key in PKCS#8 DER, values that were sealed to it, and a database to write to. */
  static async open(pkcs8: Uint8Array<ArrayBuffer>, sealed: readonly string[], url: string): Promise<BareHandling> {
    const pool = new Pool({ connectionString: url, max: LANES });
    await pool.query('create table bare_inbox (id text primary key); create table bare_effect (id text primary key, chars int not null, at timestamptz not null)');
    return new BareHandling(pool, await importValuePrivateKey(pkcs8), sealed);
  }

  async run(seconds: number): Promise<Sample> {
    const [start, before] = [performance.now(), this.done];
    const lane = async () => {
      while (performance.now() - start < seconds * 1000) await this.handle();
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    return { operations: this.done - before, seconds: (performance.now() - start) / 1000 };
  }

  async close(): Promise<void> {
    await this.pool.end();
  }

  private async handle(): Promise<void> {
    const nth = this.done++;
    const connection = await this.pool.connect();
    await connection.query('begin');
    await connection.query('insert into bare_inbox (id) values ($1)', [`m${nth}`]);
    const plaintext = await openValue(this.key, this.sealed[nth % this.sealed.length]!);
    await connection.query('insert into bare_effect (id, chars, at) values ($1, $2, $3)', [`m${nth}`, plaintext.length, new Date()]);
    await connection.query('commit');
    connection.release();
  }
}
