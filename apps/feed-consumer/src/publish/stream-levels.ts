/** A durable consumer of the stream of events, as the server describes it. */
export interface ConsumerLevel {
  name: string;
  /** Not yet given out, and given out but not acknowledged. */
  num_pending: number;
  num_ack_pending: number;
  ack_floor: { stream_seq: number };
  config: { filter_subject?: string; filter_subjects?: string[] };
}

/** How far a group of handlers is behind; all its partitions together. */
export interface GroupLevel {
  group: string;
  pending: number;
  /** Where to look for its oldest event that is not acknowledged; undefined where all are. */
  oldest: { seq: number; next_by_subj: string } | undefined;
}

/** `shop-backend_customers_p07` is of the group `shop-backend_customers`. */
const groupOf = (consumer: string): string => consumer.replace(/_p\d\d$/, '');

export function groupLevels(consumers: readonly ConsumerLevel[]): GroupLevel[] {
  return [...byGroup(consumers)].map(([group, members]) => {
    const behind = members.filter((member) => waiting(member) > 0);
    const last = behind.toSorted((one, other) => one.ack_floor.stream_seq - other.ack_floor.stream_seq)[0];
    return { group, pending: members.reduce((sum, member) => sum + waiting(member), 0), oldest: last && afterFloor(last) };
  });
}

const waiting = ({ num_pending, num_ack_pending }: ConsumerLevel): number => num_pending + num_ack_pending;

/** The first message behind all that is acknowledged; of several filters by the first, which is near enough for an age. */
function afterFloor({ ack_floor, config }: ConsumerLevel): GroupLevel['oldest'] {
  return { seq: ack_floor.stream_seq + 1, next_by_subj: config.filter_subject ?? config.filter_subjects?.[0] ?? '>' };
}

function byGroup(consumers: readonly ConsumerLevel[]): Map<string, ConsumerLevel[]> {
  const groups = new Map<string, ConsumerLevel[]>();
  for (const consumer of consumers) groups.set(groupOf(consumer.name), [...(groups.get(groupOf(consumer.name)) ?? []), consumer]);
  return groups;
}
