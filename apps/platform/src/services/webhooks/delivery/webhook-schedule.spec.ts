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

describe('WebhookSchedule @spec D1-6.3', () => {
  it('returns the webhooks to read up to a limit, in the order in which they woke', () => {
    const schedule = newSchedule();
    for (const id of ['a', 'b', 'a', 'c']) schedule.wake(id);

    expect(schedule.takeWanting(2)).toEqual(['a', 'b']);
    expect(schedule.takeWanting(2)).toEqual(['c']);
    expect(schedule.takeWanting(2)).toEqual([]);
  });

  it('releases one row of a webhook at a time, the next only after the previous one is deleted', () => {
    const schedule = given(1, 2);

    expect(schedule.takeReady(anybody)).toEqual({ id: 'a', row: 1 });
    expect(schedule.takeReady(anybody)).toBeUndefined();
    schedule.delivered('a');
    expect(schedule.takeReady(anybody)).toBeUndefined();
    schedule.settled('a');
    expect(schedule.takeReady(anybody)).toEqual({ id: 'a', row: 2 });
  });

  it('alternates between webhooks, so that a long queue does not delay the others', () => {
    const schedule = given(1, 2);
    schedule.wake('b');
    schedule.give(schedule.takeWanting(1)[0]!, [7], true);

    expect(schedule.takeReady(anybody)).toEqual({ id: 'a', row: 1 });
    schedule.delivered('a');
    schedule.settled('a');
    expect(schedule.takeReady(anybody)).toEqual({ id: 'b', row: 7 });
    expect(schedule.takeReady(anybody)).toEqual({ id: 'a', row: 2 });
  });

  it('forgets a webhook whose rows are all delivered, and reads it again if it woke meanwhile', () => {
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

  it('reads a webhook again if it woke while its rows were being read', () => {
    const schedule = newSchedule();
    schedule.wake('a');
    schedule.takeWanting(1);
    schedule.wake('a');
    schedule.give('a', [], true);

    expect(schedule.takeWanting(1)).toEqual(['a']);
  });

  it('ignores a poll for a webhook that is already scheduled, and reads it again once it is finished', () => {
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

  it('reads a webhook again when its rows were not all read', () => {
    const schedule = newSchedule();
    schedule.wake('a');
    schedule.takeWanting(1);
    schedule.give('a', [], false);

    expect(schedule.takeWanting(1)).toEqual(['a']);
  });

  it('drops the rows read ahead when a delivery fails, since they stay in the database', () => {
    const schedule = given(1, 2);
    schedule.takeReady(anybody);
    schedule.rest('a');

    expect(schedule.takeReady(anybody)).toBeUndefined();
    expect(schedule.ids).toEqual([]);
  });

  it('reads the rows again that were read ahead of a change of the webhook', () => {
    const schedule = given(1, 2);
    schedule.renew('a');

    expect(schedule.takeReady(anybody)).toBeUndefined();
    expect(schedule.takeWanting(1)).toEqual(['a']);
  });

  it('discards rows that were being read when the webhook changed', () => {
    const schedule = newSchedule();
    schedule.wake('a');
    schedule.takeWanting(1);
    schedule.renew('a');
    schedule.give('a', [1], true);

    expect(schedule.takeReady(anybody)).toBeUndefined();
    expect(schedule.takeWanting(1)).toEqual(['a']);
  });

  it('finishes the delivery in flight before it reads a changed webhook again', () => {
    const schedule = given(1, 2);
    schedule.takeReady(anybody);
    schedule.renew('a');

    expect(schedule.takeWanting(1)).toEqual([]);
    schedule.delivered('a');
    schedule.settled('a');
    expect(schedule.takeWanting(1)).toEqual(['a']);
  });

  it('alternates between owners first, so that many webhooks of one owner do not delay another', () => {
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

  it('skips an owner without free capacity', () => {
    const schedule = given(1, 2);
    schedule.wake('c');
    schedule.give(schedule.takeWanting(1)[0]!, [100], true);

    expect(schedule.takeReady((owner) => owner === 'them')).toEqual({ id: 'c', row: 100 });
    expect(schedule.takeReady((owner) => owner === 'them')).toBeUndefined();
    expect(schedule.takeReady(anybody)).toEqual({ id: 'a', row: 1 });
  });

  it('drops a webhook that another process took over, once its delivery in flight ends', () => {
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

  describe('a turn for a delivery that is not a queued row', () => {
    const order = (schedule: WebhookSchedule<number>) => {
      const came: string[] = [];
      void schedule.turn('a').then(() => came.push('guest'));
      return async () => {
        await Promise.resolve();
        return came;
      };
    };

    it('starts at once when nothing is in flight, and the queued rows follow', async () => {
      const schedule = given(1);
      const came = order(schedule);

      expect(await came()).toEqual(['guest']);
      expect(schedule.takeReady(anybody)).toBeUndefined();
      schedule.settled('a');
      expect(schedule.takeReady(anybody)).toEqual({ id: 'a', row: 1 });
    });

    it('starts once the delivery in flight has settled or failed', async () => {
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

    it('leaves nothing scheduled when no rows are waiting', async () => {
      const schedule = newSchedule();
      await schedule.turn('a');
      schedule.settled('a');

      expect(schedule.ids).toEqual([]);
    });
  });
});
