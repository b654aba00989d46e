import { setTimeout as pause } from 'node:timers/promises';
import { DelegateNames } from './delegate-names.service.ts';

/** A region where nobody lives. */
const EMPTY_DB = { createQueryRunner: () => ({ query: async () => ({ records: [] }), release: async () => undefined }) };
const ANA = { company_user_id: 'usr_acme', delegate_user_id: 'usr_ana', display_name: 'Ana' };

describe('names of delegates in other regions @gap D1-5.8', () => {
  /** Reads a name where the front door answers after some time. Returns the names, and how long each region may take. */
  const read = async (othersWith: () => Promise<string[]>) => {
    const waits: number[] = [];
    const call = async (...[, , , options]: [unknown, unknown, unknown, { timeout: number }]) => {
      waits.push(options.timeout);
      return { names: [{ user_id: 'usr_ana', display_name: 'Ana Maria' }] };
    };
    const names = await new DelegateNames(EMPTY_DB as never, { call, othersWith } as never).of([ANA]);
    return { names: [...names.values()], waits };
  };

  it('are the stored ones when the front door does not answer within two seconds', async () => {
    const begun = performance.now();
    expect(await read(() => new Promise(() => undefined))).toEqual({ names: ['Ana'], waits: [] });
    expect(performance.now() - begun).toBeGreaterThan(1900);
  });

  it('are requested from a region with only the time that the front door left', async () => {
    const { names, waits } = await read(() => pause(500, ['us']));
    expect(names).toEqual(['Ana Maria']);
    expect(waits[0]).toBeLessThan(1600);
  });
});
