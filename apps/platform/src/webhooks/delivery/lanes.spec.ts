import { Lanes } from './lanes.ts';

const given = (...rows: number[]): Lanes<number> => {
  const lanes = new Lanes<number>();
  lanes.wake('a');
  lanes.takeWanting(10);
  lanes.give('a', rows, true);
  return lanes;
};

describe('the turns of webhooks @spec D1-6.3', () => {
  it('are read for many at once, up to a limit, in the order in which they woke', () => {
    const lanes = new Lanes<number>();
    for (const id of ['a', 'b', 'a', 'c']) lanes.wake(id);

    expect(lanes.takeWanting(2)).toEqual(['a', 'b']);
    expect(lanes.takeWanting(2)).toEqual(['c']);
    expect(lanes.takeWanting(2)).toEqual([]);
  });

  it('let one row of a webhook go at a time, the next when the last one is deleted', () => {
    const lanes = given(1, 2);

    expect(lanes.takeReady()).toEqual({ id: 'a', row: 1 });
    expect(lanes.takeReady()).toBeUndefined();
    lanes.delivered('a');
    expect(lanes.takeReady()).toBeUndefined();
    lanes.settled('a');
    expect(lanes.takeReady()).toEqual({ id: 'a', row: 2 });
  });

  it('go round, so that a long queue does not keep the others waiting', () => {
    const lanes = given(1, 2);
    lanes.wake('b');
    lanes.give(lanes.takeWanting(1)[0]!, [7], true);

    expect(lanes.takeReady()).toEqual({ id: 'a', row: 1 });
    lanes.delivered('a');
    lanes.settled('a');
    expect(lanes.takeReady()).toEqual({ id: 'b', row: 7 });
    expect(lanes.takeReady()).toEqual({ id: 'a', row: 2 });
  });

  it('end when nothing is left, and come again when there was more', () => {
    const [done, more] = [given(1), given(1)];
    more.wake('a');

    for (const lanes of [done, more]) {
      lanes.takeReady();
      lanes.delivered('a');
      lanes.settled('a');
    }
    expect(done.ids).toEqual([]);
    expect(more.takeWanting(1)).toEqual(['a']);
  });

  it('come again when something woke while its rows were being read', () => {
    const lanes = new Lanes<number>();
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
    lanes.takeReady();
    lanes.delivered('a');
    lanes.settled('a');

    expect(lanes.takeWanting(2)).toEqual(['b']);
    lanes.find('a');
    expect(lanes.takeWanting(2)).toEqual(['a']);
  });

  it('come again when not all was read', () => {
    const lanes = new Lanes<number>();
    lanes.wake('a');
    lanes.takeWanting(1);
    lanes.give('a', [], false);

    expect(lanes.takeWanting(1)).toEqual(['a']);
  });

  it('stop at a failure: what was read ahead stays in the database', () => {
    const lanes = given(1, 2);
    lanes.takeReady();
    lanes.rest('a');

    expect(lanes.takeReady()).toBeUndefined();
    expect(lanes.ids).toEqual([]);
  });

  it('read again what was read ahead of a change', () => {
    const lanes = given(1, 2);
    lanes.renew('a');

    expect(lanes.takeReady()).toBeUndefined();
    expect(lanes.takeWanting(1)).toEqual(['a']);
  });

  it('drop what was being read when the change came', () => {
    const lanes = new Lanes<number>();
    lanes.wake('a');
    lanes.takeWanting(1);
    lanes.renew('a');
    lanes.give('a', [1], true);

    expect(lanes.takeReady()).toBeUndefined();
    expect(lanes.takeWanting(1)).toEqual(['a']);
  });

  it('finish what is on its way before a change counts', () => {
    const lanes = given(1, 2);
    lanes.takeReady();
    lanes.renew('a');

    expect(lanes.takeWanting(1)).toEqual([]);
    lanes.delivered('a');
    lanes.settled('a');
    expect(lanes.takeWanting(1)).toEqual(['a']);
  });
});
