import type { Edit } from './edit.ts';
import { judgeHook, judgePull, type ReceivedEdit } from './judge.ts';

const edits: Edit[] = [1, 2, 3].map((n) => ({ service_id: 'ser', person: 'ana', n, at: `t${n}`, value: `v${n}` }));
const received = (n: number, id = `evt_${n}`, value = `v${n}`): ReceivedEdit => ({ id, person: 'ana', at: `t${n}`, value });
const CLEAN = { lost: 0, duplicated: 0, disordered: 0, repeated: 0, wrong: 0 };

describe('judging what the platform delivered', () => {
  it('finds nothing when each edit came in order, with its own value or a later one', () => {
    expect(judgePull([received(1, 'a', 'v3'), received(2), received(3)], edits)).toEqual(CLEAN);
  });

  it('counts an id that came again as a repeat, and a second id for one edit as a duplicate @spec D1-4.3', () => {
    expect(judgePull([received(1), received(2), received(1), received(2), received(3)], edits)).toEqual({ ...CLEAN, repeated: 2 });
    expect(judgePull([received(1), received(2), received(2, 'other'), received(3)], edits)).toEqual({ ...CLEAN, duplicated: 1 });
  });

  it('recognises a repeat on a webhook by its content, and finds one that is out of order @spec D1-6.3', () => {
    expect(judgeHook([received(1), received(1, 'other'), received(2), received(3)], edits, 1)).toEqual({ ...CLEAN, repeated: 1 });
    expect(judgeHook([received(1), received(2), received(1, 'other'), received(3)], edits, 1)).toEqual({
      ...CLEAN,
      repeated: 1,
      disordered: 1,
    });
  });

  it('counts a repeat on a webhook as a duplicate when no kill explains it @spec D1-6.3', () => {
    const twice = [received(1), received(1, 'other'), received(2), received(2, 'another'), received(3)];
    expect(judgeHook(twice, edits, 1)).toEqual({ ...CLEAN, repeated: 1, duplicated: 1 });
    expect(judgeHook(twice, edits, 0)).toEqual({ ...CLEAN, duplicated: 2 });
  });

  it('finds lost edits, edits that nobody made, and edits with an older value', () => {
    expect(judgePull([received(1), received(3, 'c', 'v2'), received(9)], edits)).toEqual({ ...CLEAN, lost: 1, wrong: 2 });
  });
});
