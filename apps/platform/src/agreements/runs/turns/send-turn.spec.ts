import { Refusal, type CustomerRun, type SentTurn } from '@codase/contracts';
import { FIRST_TRY_MS, isTaken, LAST_TURN_MS, sendTurn } from './send-turn.ts';

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
const unanswered = new Refusal('service.unavailable');

/** Sends a turn. Each try ends with the next one of `tries`, and each read returns the next one of `reads`. */
const sends = async (tries: readonly (CustomerRun | Error)[], reads: readonly CustomerRun[], sent = turn) => {
  const [left, found, times] = [[...tries], [...reads], [] as (number | undefined)[]];
  const send = async (timeout?: number) => {
    times.push(timeout);
    const next = left.shift()!;
    if (next instanceof Error) throw next;
    return next;
  };
  const run = await sendTurn({ user_id: 'ana', turn: sent, send, read: async () => found.shift()! });
  return { run, times };
};

describe('turn sent to another region @spec D2-4.2', () => {
  it('is sent once when that region answers or refuses', async () => {
    expect(await sends([after], [])).toEqual({ run: after, times: [FIRST_TRY_MS] });
    await expect(sends([new Refusal('flows.not_your_turn')], [])).rejects.toMatchObject({ key: 'flows.not_your_turn' });
  });

  it('is not sent again when it was accepted and the answer was lost', async () => {
    expect(await sends([unanswered], [after])).toEqual({ run: after, times: [FIRST_TRY_MS] });
  });

  it('is sent again when it was not accepted', async () => {
    expect(await sends([unanswered, after], [before])).toEqual({ run: after, times: [FIRST_TRY_MS, undefined] });
    const late = new Refusal('flows.not_your_turn');
    expect(await sends([unanswered, late], [before, after])).toMatchObject({ run: after });
    await expect(sends([unanswered, late], [before, before])).rejects.toBe(late);
  });

  it('gets a longer timeout on the second attempt when it ends the run, because files are copied then', async () => {
    const last = { ...turn, next_node: undefined, leaf: true } as unknown as SentTurn;
    expect(await sends([unanswered, after], [before], last)).toEqual({ run: after, times: [FIRST_TRY_MS, LAST_TURN_MS] });
  });

  it('without answers counts as accepted when the run has moved on', () => {
    const empty = { answers: [], next_node: 'price' } as unknown as SentTurn;
    expect([isTaken(before, 'ana', empty), isTaken(after, 'ana', empty)]).toEqual([false, true]);
    const last = { answers: [], leaf: true } as unknown as SentTurn;
    expect([isTaken(after, 'ana', last), isTaken({ ...after, status: 'completed' }, 'ana', last)]).toEqual([false, true]);
  });
});
