import { Refusal, type CustomerRun, type SentTurn } from '@codase/contracts';
import { FIRST_ATTEMPT_TIMEOUT_MS, isApplied, FINAL_TURN_RETRY_TIMEOUT_MS, sendTurn } from './send-turn.ts';

const turn = {
  answers: [{ slug: 'quantity', values: ['ana', 'acme'].map((for_user_id) => ({ for_user_id, value: `sealed for ${for_user_id}` })) }],
  next_node: 'price',
} as unknown as SentTurn;
const before = { status: 'awaiting_customer', current_node: 'order', answers: [] } as unknown as CustomerRun;
const after = {
  status: 'awaiting_company',
  current_node: 'price',
  answers: [{ slug: 'quantity', for_user_id: 'ana', value: 'sealed for ana' }],
} as unknown as CustomerRun;
const unavailable = new Refusal('service.unavailable');

/**
 * Sends a turn to a region that is played: attempt n returns or throws the nth of `attempts`, read n returns the nth of `reads`. Returns
 * the run and the timeout of each attempt; undefined is the usual timeout.
 */
const sends = async (attempts: readonly (CustomerRun | Error)[], reads: readonly CustomerRun[], sent = turn) => {
  const [nextAttempts, nextReads, timeouts] = [[...attempts], [...reads], [] as (number | undefined)[]];
  const send = async (timeout?: number) => {
    timeouts.push(timeout);
    const next = nextAttempts.shift()!;
    if (next instanceof Error) throw next;
    return next;
  };
  const run = await sendTurn({ user_id: 'ana', turn: sent, send, read: async () => nextReads.shift()! });
  return { run, timeouts };
};

describe('turn sent to another region @spec D2-4.2', () => {
  it('is sent once when that region applies it or refuses it', async () => {
    expect(await sends([after], [])).toEqual({ run: after, timeouts: [FIRST_ATTEMPT_TIMEOUT_MS] });
    await expect(sends([new Refusal('flows.not_your_turn')], [])).rejects.toMatchObject({ key: 'flows.not_your_turn' });
  });

  it('is not sent again when it was applied and the reply was lost', async () => {
    expect(await sends([unavailable], [after])).toEqual({ run: after, timeouts: [FIRST_ATTEMPT_TIMEOUT_MS] });
  });

  it('is sent again when no reply came and it was not applied', async () => {
    expect(await sends([unavailable, after], [before])).toEqual({ run: after, timeouts: [FIRST_ATTEMPT_TIMEOUT_MS, undefined] });
    const notYourTurn = new Refusal('flows.not_your_turn');
    expect(await sends([unavailable, notYourTurn], [before, after])).toMatchObject({ run: after });
    await expect(sends([unavailable, notYourTurn], [before, before])).rejects.toBe(notYourTurn);
  });

  it('has a longer timeout for its second attempt when it ends the run, which copies files', async () => {
    const last = { ...turn, next_node: undefined, leaf: true } as unknown as SentTurn;
    expect(await sends([unavailable, after], [before], last)).toEqual({
      run: after,
      timeouts: [FIRST_ATTEMPT_TIMEOUT_MS, FINAL_TURN_RETRY_TIMEOUT_MS],
    });
  });

  it('without answers counts as applied when the run has moved on', () => {
    const empty = { answers: [], next_node: 'price' } as unknown as SentTurn;
    expect([isApplied(before, 'ana', empty), isApplied(after, 'ana', empty)]).toEqual([false, true]);
    const last = { answers: [], leaf: true } as unknown as SentTurn;
    expect([isApplied(after, 'ana', last), isApplied({ ...after, status: 'completed' }, 'ana', last)]).toEqual([false, true]);
  });
});
