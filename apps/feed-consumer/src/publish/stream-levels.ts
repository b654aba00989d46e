/** A durable consumer of the stream of events, as the server describes it. */
export interface ConsumerLevel {
  name: string;
  /** `num_pending` counts messages that are not delivered yet, `num_ack_pending` those that are delivered and not acknowledged. */
  num_pending: number;
  num_ack_pending: number;
  ack_floor: { stream_seq: number };
  config: { filter_subject?: string; filter_subjects?: string[] };
}

/** How far a group of handlers is behind, all its partitions together. */
export interface GroupLevel {
  group: string;
  pending: number;
  /** Where to look for the group's oldest event that is not acknowledged. Undefined when all are acknowledged. */
  oldest: { seq: number; next_by_subj: string } | undefined;
}

/** Returns the group of a consumer: `shop-backend_customers_p07` belongs to `shop-backend_customers`. */
const groupOf = (consumer: string): string => consumer.replace(/_p\d\d$/, '');

export function groupLevels(consumers: readonly ConsumerLevel[]): GroupLevel[] {
  return [...byGroup(consumers)].map(([group, members]) => {
    const behind = members.filter((member) => waiting(member) > 0);
    const last = behind.toSorted((one, other) => one.ack_floor.stream_seq - other.ack_floor.stream_seq)[0];
    return { group, pending: members.reduce((sum, member) => sum + waiting(member), 0), oldest: last && afterFloor(last) };
  });
}

const waiting = ({ num_pending, num_ack_pending }: ConsumerLevel): number => num_pending + num_ack_pending;

/** Returns where the first message after the acknowledged ones is. It uses the first of several filters: close enough for an age. */
function afterFloor({ ack_floor, config }: ConsumerLevel): GroupLevel['oldest'] {
  return { seq: ack_floor.stream_seq + 1, next_by_subj: config.filter_subject ?? config.filter_subjects?.[0] ?? '>' };
}

function byGroup(consumers: readonly ConsumerLevel[]): Map<string, ConsumerLevel[]> {
  const groups = new Map<string, ConsumerLevel[]>();
  for (const consumer of consumers) groups.set(groupOf(consumer.name), [...(groups.get(groupOf(consumer.name)) ?? []), consumer]);
  return groups;
}
