import type { Edit } from './edit.ts';
import { judgeHook, judgePull, sum, type ReceivedEdit } from './judge.ts';

const edits: Edit[] = [1, 2, 3].map((n) => ({ service_id: 'ser', person: 'ana', n, at: `t${n}`, value: `v${n}` }));
const received = (n: number, id = `evt_${n}`, value = `v${n}`): ReceivedEdit => ({ id, person: 'ana', at: `t${n}`, value });
const CLEAN = { lost: 0, duplicated: 0, disordered: 0, repeated: 0, wrong: 0 };

describe('judging what the platform delivered', () => {
  it('finds nothing where each edit came in order, with the value of then or later', () => {
    expect(judgePull([received(1, 'a', 'v3'), received(2), received(3)], edits)).toEqual(CLEAN);
  });

  it('takes an id that came again for a repeat, and a second id for one too many @spec D1-4.3', () => {
    expect(judgePull([received(1), received(2), received(1), received(2), received(3)], edits)).toEqual({ ...CLEAN, repeated: 2 });
    expect(judgePull([received(1), received(2), received(2, 'other'), received(3)], edits)).toEqual({ ...CLEAN, duplicated: 1 });
  });

  it('knows a repeat on a webhook by what it tells, and minds its place @spec D1-6.3', () => {
    expect(judgeHook([received(1), received(1, 'other'), received(2), received(3)], edits, 1)).toEqual({ ...CLEAN, repeated: 1 });
    expect(judgeHook([received(1), received(2), received(1, 'other'), received(3)], edits, 1)).toEqual({
      ...CLEAN,
      repeated: 1,
      disordered: 1,
    });
  });

  it('takes a repeat on a webhook for one too many where nobody was killed for it @spec D1-6.3', () => {
    const twice = [received(1), received(1, 'other'), received(2), received(2, 'another'), received(3)];
    expect(judgeHook(twice, edits, 1)).toEqual({ ...CLEAN, repeated: 1, duplicated: 1 });
    expect(judgeHook(twice, edits, 0)).toEqual({ ...CLEAN, duplicated: 2 });
  });

  it('finds what is lost, what nobody did, and what came with an older value', () => {
    expect(judgePull([received(1), received(3, 'c', 'v2'), received(9)], edits)).toEqual({ ...CLEAN, lost: 1, wrong: 2 });
  });

  it('adds channels up', () => {
    expect(
      sum([
        { ...CLEAN, lost: 1 },
        { ...CLEAN, lost: 2, wrong: 1 },
      ]),
    ).toEqual({ ...CLEAN, lost: 3, wrong: 1 });
  });
});
