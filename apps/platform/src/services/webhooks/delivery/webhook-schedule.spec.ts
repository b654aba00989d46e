import { WebhookSchedule } from './webhook-schedule.ts';

/** Rows from 100 on belong to another owner. */
const newSchedule = () => new WebhookSchedule<number>((row) => (row < 100 ? 'us' : 'them'));
const anybody = () => true;

const given = (...rows: number[]): WebhookSchedule<number> => {
  const schedule = newSchedule();
  schedule.wake('a');
  schedule.takeWanting(10);
  schedule.give('a', rows, true);
  return schedule;
};

describe('the turns of webhooks @spec D1-6.3', () => {
  it('are read for many at once, up to a limit, in the order in which they woke', () => {
    const schedule = newSchedule();
    for (const id of ['a', 'b', 'a', 'c']) schedule.wake(id);

    expect(schedule.takeWanting(2)).toEqual(['a', 'b']);
    expect(schedule.takeWanting(2)).toEqual(['c']);
    expect(schedule.takeWanting(2)).toEqual([]);
  });

  it('let one row of a webhook go at a time, the next when the last one is deleted', () => {
    const schedule = given(1, 2);

    expect(schedule.takeReady(anybody)).toEqual({ id: 'a', row: 1 });
    expect(schedule.takeReady(anybody)).toBeUndefined();
    schedule.delivered('a');
    expect(schedule.takeReady(anybody)).toBeUndefined();
    schedule.settled('a');
    expect(schedule.takeReady(anybody)).toEqual({ id: 'a', row: 2 });
  });

  it('go round, so that a long queue does not keep the others waiting', () => {
    const schedule = given(1, 2);
    schedule.wake('b');
    schedule.give(schedule.takeWanting(1)[0]!, [7], true);

    expect(schedule.takeReady(anybody)).toEqual({ id: 'a', row: 1 });
    schedule.delivered('a');
    schedule.settled('a');
    expect(schedule.takeReady(anybody)).toEqual({ id: 'b', row: 7 });
    expect(schedule.takeReady(anybody)).toEqual({ id: 'a', row: 2 });
  });

  it('end when nothing is left, and come again when there was more', () => {
    const [done, more] = [given(1), given(1)];
    more.wake('a');

    for (const schedule of [done, more]) {
      schedule.takeReady(anybody);
      schedule.delivered('a');
      schedule.settled('a');
    }
    expect(done.ids).toEqual([]);
    expect(more.takeWanting(1)).toEqual(['a']);
  });

  it('come again when something woke while its rows were being read', () => {
    const schedule = newSchedule();
    schedule.wake('a');
    schedule.takeWanting(1);
    schedule.wake('a');
    schedule.give('a', [], true);

    expect(schedule.takeWanting(1)).toEqual(['a']);
  });

  it('are not read twice for what was found waiting while it was in hand, and are when it was not', () => {
    const schedule = given(1);
    schedule.find('a');
    schedule.find('b');
    schedule.takeReady(anybody);
    schedule.delivered('a');
    schedule.settled('a');

    expect(schedule.takeWanting(2)).toEqual(['b']);
    schedule.find('a');
    expect(schedule.takeWanting(2)).toEqual(['a']);
  });

  it('come again when not all was read', () => {
    const schedule = newSchedule();
    schedule.wake('a');
    schedule.takeWanting(1);
    schedule.give('a', [], false);

    expect(schedule.takeWanting(1)).toEqual(['a']);
  });

  it('stop at a failure: what was read ahead stays in the database', () => {
    const schedule = given(1, 2);
    schedule.takeReady(anybody);
    schedule.rest('a');

    expect(schedule.takeReady(anybody)).toBeUndefined();
    expect(schedule.ids).toEqual([]);
  });

  it('read again what was read ahead of a change', () => {
    const schedule = given(1, 2);
    schedule.renew('a');

    expect(schedule.takeReady(anybody)).toBeUndefined();
    expect(schedule.takeWanting(1)).toEqual(['a']);
  });

  it('drop what was being read when the change came', () => {
    const schedule = newSchedule();
    schedule.wake('a');
    schedule.takeWanting(1);
    schedule.renew('a');
    schedule.give('a', [1], true);

    expect(schedule.takeReady(anybody)).toBeUndefined();
    expect(schedule.takeWanting(1)).toEqual(['a']);
  });

  it('finish what is on its way before a change counts', () => {
    const schedule = given(1, 2);
    schedule.takeReady(anybody);
    schedule.renew('a');

    expect(schedule.takeWanting(1)).toEqual([]);
    schedule.delivered('a');
    schedule.settled('a');
    expect(schedule.takeWanting(1)).toEqual(['a']);
  });

  it('go round between owners first, so that many webhooks of one do not keep the other waiting', () => {
    const schedule = newSchedule();
    for (const [id, row] of [
      ['a', 1],
      ['b', 2],
      ['c', 100],
    ] as const) {
      schedule.wake(id);
      schedule.takeWanting(1);
      schedule.give(id, [row], true);
    }

    expect([1, 2, 3].map(() => schedule.takeReady(anybody)!.id)).toEqual(['a', 'c', 'b']);
  });

  it('pass over an owner who has no room', () => {
    const schedule = given(1, 2);
    schedule.wake('c');
    schedule.give(schedule.takeWanting(1)[0]!, [100], true);

    expect(schedule.takeReady((owner) => owner === 'them')).toEqual({ id: 'c', row: 100 });
    expect(schedule.takeReady((owner) => owner === 'them')).toBeUndefined();
    expect(schedule.takeReady(anybody)).toEqual({ id: 'a', row: 1 });
  });

  it("end for a webhook that is another's now, after what is on its way", () => {
    const [waiting, posting, reading] = [given(1, 2), given(1, 2), newSchedule()];
    posting.takeReady(anybody);
    reading.wake('a');
    reading.takeWanting(1);
    for (const schedule of [waiting, posting, reading]) schedule.drop('a');

    expect([waiting.ids, posting.ids, reading.ids]).toEqual([[], ['a'], ['a']]);
    posting.delivered('a');
    posting.settled('a');
    reading.give('a', [1, 2], false);
    expect([posting.ids, reading.ids]).toEqual([[], []]);
  });

  describe('with a guest, who has something that is no row', () => {
    const order = (schedule: WebhookSchedule<number>) => {
      const came: string[] = [];
      void schedule.turn('a').then(() => came.push('guest'));
      return async () => {
        await Promise.resolve();
        return came;
      };
    };

    it('are its own at once where nothing is on its way, and the rows follow', async () => {
      const schedule = given(1);
      const came = order(schedule);

      expect(await came()).toEqual(['guest']);
      expect(schedule.takeReady(anybody)).toBeUndefined();
      schedule.settled('a');
      expect(schedule.takeReady(anybody)).toEqual({ id: 'a', row: 1 });
    });

    it('are its own once what is on its way is done, or has failed', async () => {
      for (const end of ['settled', 'rest'] as const) {
        const schedule = given(1, 2);
        schedule.takeReady(anybody);
        const came = order(schedule);

        expect(await came()).toEqual([]);
        schedule[end]('a');
        expect(await came()).toEqual(['guest']);
        expect(schedule.takeReady(anybody)).toBeUndefined();
      }
    });

    it('leave nothing behind where nothing waits', async () => {
      const schedule = newSchedule();
      await schedule.turn('a');
      schedule.settled('a');

      expect(schedule.ids).toEqual([]);
    });
  });
});
