import { IdentityFault } from '@codase/pdf';
import { silentLog } from '@codase/runtime/telemetry';
import type { PlatformSeal } from './platform-seal.service.ts';
import type { SealSettings } from './seal-settings.service.ts';
import { SealingCheck } from './sealing-check.worker.ts';
import { SealingState } from './sealing-state.ts';

describe('sealing check', () => {
  let fault: Error | undefined;
  let isStamped: boolean;
  let rounds: number;
  /** The rounds in which the seal was tried. */
  let tried: number[];
  const seal = {
    async check() {
      tried.push(rounds);
      if (fault) throw fault;
    },
    checkTimestamps: async () => isStamped,
  } as unknown as PlatformSeal;
  const open = (check: SealSettings['check'] = 'start') => {
    const state = new SealingState(check === 'start');
    return { state, worker: new SealingCheck(seal, state, { check } as SealSettings, silentLog) };
  };
  const passes = async ({ worker }: ReturnType<typeof open>, count: number) => {
    for (const end = rounds + count; rounds < end; rounds++) await worker.round().catch(() => undefined);
  };
  beforeEach(() => {
    [fault, isStamped, rounds, tried] = [undefined, true, 0, []];
  });

  it('runs at the start and then every hour', async () => {
    const opened = open();
    await passes(opened, 3601);

    expect(tried).toEqual([0, 3600]);
    expect(opened.state.finding).toBeNull();
  });

  it('runs every minute while timestamps fail', async () => {
    isStamped = false;
    await passes(open(), 121);

    expect(tried).toEqual([0, 60, 120]);
  });

  it('backs off after failures, and reports the fault until it succeeds', async () => {
    const opened = open();
    fault = new Error('no disk');
    await passes(opened, 31);
    expect(tried).toEqual([0, 2, 4, 6, 8, 10, 20, 30]);
    expect(opened.state.finding).toBe('a PDF could not be sealed: see the log');

    fault = new IdentityFault('SEAL_PKCS12 does not open');
    await passes(opened, 10);
    expect(opened.state.finding).toBe('SEAL_PKCS12 does not open');
    fault = undefined;
    await passes(opened, 10);

    expect(opened.state.finding).toBeNull();
  });

  it('never runs when it is switched off', async () => {
    await passes(open('never'), 3);

    expect(tried).toEqual([]);
  });
});
