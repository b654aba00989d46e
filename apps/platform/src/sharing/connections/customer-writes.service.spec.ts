import { systemClock } from '@codase/runtime/clock';
import { silentLog } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { CustomerWrites } from './customer-writes.service.ts';

/** A database that takes statements and answers none. `asked` settles with the first statement. */
function awayDatabase(): { away: DataSource; requested: Promise<void> } {
  let ask = () => {};
  const requested = new Promise<void>((resolve) => (ask = resolve));
  const query = () => (ask(), new Promise<never>(() => undefined));
  return { away: { createQueryRunner: () => ({ query }) } as unknown as DataSource, requested };
}

describe('leased write that calls other regions', () => {
  const tx = { queryRunner: { query: async () => ({ records: [{ last_at: new Date() }] }) } } as unknown as EntityManager;
  const said: string[] = [];
  const log = { ...silentLog, warn: (line: string) => void said.push(line) };
  const writesOn = (db: DataSource) => new CustomerWrites(db, { write: (_user, work) => work(tx) }, systemClock, log);
  const nothing = async () => undefined;
  beforeEach(() => said.splice(0));

  it('succeeds when the database cannot end its lease, which expires by itself', async () => {
    const { away } = awayDatabase();

    expect(await writesOn(away).leased('usr_1', nothing, async () => 'written')).toBe('written');
    expect(said).toEqual(['a lease was left to run out']);
  });

  it('succeeds while a renewal of its lease waits for the database', async () => {
    const { away, requested: renewing } = awayDatabase();

    expect(await writesOn(away).leased('usr_1', nothing, () => renewing.then(() => 'written'))).toBe('written');
    expect(said).toEqual(['a lease was left to run out']);
  });
});
