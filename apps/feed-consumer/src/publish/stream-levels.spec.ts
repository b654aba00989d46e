import { groupLevels, type ConsumerLevel } from './stream-levels.ts';

const consumer = (name: string, [pending, unacknowledged, floor]: [number, number, number]): ConsumerLevel => ({
  name,
  num_pending: pending,
  num_ack_pending: unacknowledged,
  ack_floor: { stream_seq: floor },
  config: { filter_subject: `events.${name}` },
});

describe('backlog of a handler group', () => {
  it('is the sum over its partitions, with the oldest event of the partition that is farthest behind', () => {
    const levels = groupLevels([
      consumer('shop-backend_customers_p00', [3, 1, 40]),
      consumer('shop-backend_customers_p01', [0, 2, 20]),
      consumer('shop-backend_customers_p02', [0, 0, 5]), // everything is acknowledged: the floor is old because no event came
      consumer('twofa_outcomes', [0, 0, 90]),
    ]);

    expect(levels).toEqual([
      { group: 'shop-backend_customers', pending: 6, oldest: { seq: 21, next_by_subj: 'events.shop-backend_customers_p01' } },
      { group: 'twofa_outcomes', pending: 0, oldest: undefined },
    ]);
  });

  it('looks up the oldest event by the first filter of a consumer with several', () => {
    const several = { ...consumer('audit_all_p00', [1, 0, 7]), config: { filter_subjects: ['a.>', 'b.>'] } };

    expect(groupLevels([several])).toEqual([{ group: 'audit_all', pending: 1, oldest: { seq: 8, next_by_subj: 'a.>' } }]);
  });
});
