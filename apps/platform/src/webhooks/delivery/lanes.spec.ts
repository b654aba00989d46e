import { Lanes } from './lanes.ts';

/** Rows from 100 on are another owner's. */
const newLanes = () => new Lanes<number>((row) => (row < 100 ? 'us' : 'them'));
const anybody = () => true;

const given = (...rows: number[]): Lanes<number> => {
  const lanes = newLanes();
  lanes.wake('a');
  lanes.takeWanting(10);
  lanes.give('a', rows, true);
  return lanes;
};

describe('the turns of webhooks @spec D1-6.3', () => {
  it('are read for many at once, up to a limit, in the order in which they woke', () => {
    const lanes = newLanes();
    for (const id of ['a', 'b', 'a', 'c']) lanes.wake(id);

    expect(lanes.takeWanting(2)).toEqual(['a', 'b']);
    expect(lanes.takeWanting(2)).toEqual(['c']);
    expect(lanes.takeWanting(2)).toEqual([]);
  });

  it('let one row of a webhook go at a time, the next when the last one is deleted', () => {
    const lanes = given(1, 2);

    expect(lanes.takeReady(anybody)).toEqual({ id: 'a', row: 1 });
    expect(lanes.takeReady(anybody)).toBeUndefined();
    lanes.delivered('a');
    expect(lanes.takeReady(anybody)).toBeUndefined();
    lanes.settled('a');
    expect(lanes.takeReady(anybody)).toEqual({ id: 'a', row: 2 });
  });

  it('go round, so that a long queue does not keep the others waiting', () => {
    const lanes = given(1, 2);
    lanes.wake('b');
    lanes.give(lanes.takeWanting(1)[0]!, [7], true);

    expect(lanes.takeReady(anybody)).toEqual({ id: 'a', row: 1 });
    lanes.delivered('a');
    lanes.settled('a');
    expect(lanes.takeReady(anybody)).toEqual({ id: 'b', row: 7 });
    expect(lanes.takeReady(anybody)).toEqual({ id: 'a', row: 2 });
  });

  it('end when nothing is left, and come again when there was more', () => {
    const [done, more] = [given(1), given(1)];
    more.wake('a');

    for (const lanes of [done, more]) {
      lanes.takeReady(anybody);
      lanes.delivered('a');
      lanes.settled('a');
    }
    expect(done.ids).toEqual([]);
    expect(more.takeWanting(1)).toEqual(['a']);
  });

  it('come again when something woke while its rows were being read', () => {
    const lanes = newLanes();
    lanes.wake('a');
    lanes.takeWanting(1);
    lanes.wake('a');
    lanes.give('a', [], true);

    expect(lanes.takeWanting(1)).toEqual(['a']);
  });

  it('are not read twice for what was found waiting while it was in hand, and are when it was not', () => {
    const lanes = given(1);
    lanes.find('a');
    lanes.find('b');
    lanes.takeReady(anybody);
    lanes.delivered('a');
    lanes.settled('a');

    expect(lanes.takeWanting(2)).toEqual(['b']);
    lanes.find('a');
    expect(lanes.takeWanting(2)).toEqual(['a']);
  });

  it('come again when not all was read', () => {
    const lanes = newLanes();
    lanes.wake('a');
    lanes.takeWanting(1);
    lanes.give('a', [], false);

    expect(lanes.takeWanting(1)).toEqual(['a']);
  });

  it('stop at a failure: what was read ahead stays in the database', () => {
    const lanes = given(1, 2);
    lanes.takeReady(anybody);
    lanes.rest('a');

    expect(lanes.takeReady(anybody)).toBeUndefined();
    expect(lanes.ids).toEqual([]);
  });

  it('read again what was read ahead of a change', () => {
    const lanes = given(1, 2);
    lanes.renew('a');

    expect(lanes.takeReady(anybody)).toBeUndefined();
    expect(lanes.takeWanting(1)).toEqual(['a']);
  });

  it('drop what was being read when the change came', () => {
    const lanes = newLanes();
    lanes.wake('a');
    lanes.takeWanting(1);
    lanes.renew('a');
    lanes.give('a', [1], true);

    expect(lanes.takeReady(anybody)).toBeUndefined();
    expect(lanes.takeWanting(1)).toEqual(['a']);
  });

  it('finish what is on its way before a change counts', () => {
    const lanes = given(1, 2);
    lanes.takeReady(anybody);
    lanes.renew('a');

    expect(lanes.takeWanting(1)).toEqual([]);
    lanes.delivered('a');
    lanes.settled('a');
    expect(lanes.takeWanting(1)).toEqual(['a']);
  });

  it('go round between owners first, so that many webhooks of one do not keep the other waiting', () => {
    const lanes = newLanes();
    for (const [id, row] of [
      ['a', 1],
      ['b', 2],
      ['c', 100],
    ] as const) {
      lanes.wake(id);
      lanes.takeWanting(1);
      lanes.give(id, [row], true);
    }

    expect([1, 2, 3].map(() => lanes.takeReady(anybody)!.id)).toEqual(['a', 'c', 'b']);
  });

  it('pass over an owner who has no room', () => {
    const lanes = given(1, 2);
    lanes.wake('c');
    lanes.give(lanes.takeWanting(1)[0]!, [100], true);

    expect(lanes.takeReady((owner) => owner === 'them')).toEqual({ id: 'c', row: 100 });
    expect(lanes.takeReady((owner) => owner === 'them')).toBeUndefined();
    expect(lanes.takeReady(anybody)).toEqual({ id: 'a', row: 1 });
  });

  it("end for a webhook that is another's now, after what is on its way", () => {
    const [waiting, posting, reading] = [given(1, 2), given(1, 2), newLanes()];
    posting.takeReady(anybody);
    reading.wake('a');
    reading.takeWanting(1);
    for (const lanes of [waiting, posting, reading]) lanes.drop('a');

    expect([waiting.ids, posting.ids, reading.ids]).toEqual([[], ['a'], ['a']]);
    posting.delivered('a');
    posting.settled('a');
    reading.give('a', [1, 2], false);
    expect([posting.ids, reading.ids]).toEqual([[], []]);
  });

  describe('with a guest, who has something that is no row', () => {
    const order = (lanes: Lanes<number>) => {
      const came: string[] = [];
      void lanes.turn('a').then(() => came.push('guest'));
      return async () => {
        await Promise.resolve();
        return came;
      };
    };

    it('are its own at once where nothing is on its way, and the rows follow', async () => {
      const lanes = given(1);
      const came = order(lanes);

      expect(await came()).toEqual(['guest']);
      expect(lanes.takeReady(anybody)).toBeUndefined();
      lanes.settled('a');
      expect(lanes.takeReady(anybody)).toEqual({ id: 'a', row: 1 });
    });

    it('are its own once what is on its way is done, or has failed', async () => {
      for (const end of ['settled', 'rest'] as const) {
        const lanes = given(1, 2);
        lanes.takeReady(anybody);
        const came = order(lanes);

        expect(await came()).toEqual([]);
        lanes[end]('a');
        expect(await came()).toEqual(['guest']);
        expect(lanes.takeReady(anybody)).toBeUndefined();
      }
    });

    it('leave nothing behind where nothing waits', async () => {
      const lanes = newLanes();
      await lanes.turn('a');
      lanes.settled('a');

      expect(lanes.ids).toEqual([]);
    });
  });
});
