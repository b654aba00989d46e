import { cpuPerSecond, type Activity, type Costs, type Part } from '@codase/bench/capacity';
import { DRAIN_EVENTS, FEED_PARTITIONS, FEED_STREAM_DAYS, RATE_LIMITS } from '@codase/contracts';

/** How often each activity happens in a second, and how many phones hold a stream. */
export type Demand = Readonly<Record<Activity, number>> & { readonly streams: number };

/** Part of a core that is used at the expected load: the rest is for peaks, and for a replica that is lost. */
export const BUSY = 0.6;
/** The largest Postgres that one region is planned on, and the largest node of NATS. */
export const POSTGRES_CORES = 32;
const NATS_CORES = 16;
const DAY_SECONDS = 86_400;
/** For how many days the feed consumer keeps published events by default. */
export const KEPT_DAYS = 7;

/** How a part grows: by processes of `coresEach` cores, or by the cores of three nodes that each do all (for each region). */
type Growth = { replicas: 'grow'; coresEach: number; most?: number } | { replicas: 3 } | { replicas: 'regions' };

const NODE: Growth = { replicas: 'grow', coresEach: 1 };
const GROWTH: Readonly<Record<Part, Growth>> = {
  'front-door': NODE,
  region: NODE,
  delivery: NODE,
  gateway: NODE,
  'feed-consumer': { ...NODE, most: FEED_PARTITIONS },
  decryptor: { replicas: 'grow', coresEach: 2 },
  handler: { ...NODE, most: FEED_PARTITIONS },
  nats: { replicas: 3 },
  'postgres of the front door': { replicas: 3 },
  'postgres of a region': { replicas: 'regions' },
  'postgres of the feed consumer': { replicas: 3 },
  'postgres of the handler': { replicas: 3 },
};

interface Need {
  part: Part;
  busy: number;
  replicas: number;
  coresEach: number;
  /** Whether the load needs more replicas than this part can use. */
  isTooMuch: boolean;
}

export interface Capacity {
  needs: Need[];
  /** Regions that the load is divided among, so that no Postgres is larger than planned. */
  regions: number;
  disks: { stream: number; published: number; write_ahead_log_per_day: number };
}

export function capacityFor(costs: Costs, demand: Demand): Capacity {
  const used = cpuPerSecond(costs, demand);
  used.region += demand.streams * costs.stream.us_per_second;
  const regions = Math.max(1, Math.ceil(used['postgres of a region'] / 1e6 / BUSY / POSTGRES_CORES));
  const gigabytes = (bytesEach: number, seconds: number) => (demand.event * bytesEach * seconds) / 1e9;
  const { stream, published, write_ahead_log } = costs.event_bytes;
  return {
    needs: Object.entries(used).map(([part, us]) => needOf(part as Part, us / 1e6, regions)),
    regions,
    disks: {
      stream: gigabytes(stream, FEED_STREAM_DAYS * DAY_SECONDS),
      published: gigabytes(published, KEPT_DAYS * DAY_SECONDS),
      write_ahead_log_per_day: gigabytes(write_ahead_log, DAY_SECONDS),
    },
  };
}

function needOf(part: Part, busy: number, regions: number): Need {
  const growth = GROWTH[part];
  const wanted = busy / BUSY;
  if (growth.replicas !== 'grow') {
    const nodes = growth.replicas === 'regions' ? 3 * regions : growth.replicas;
    return { part, busy, replicas: nodes, coresEach: Math.max(1, Math.ceil(wanted / (nodes / 3))), isTooMuch: false };
  }
  const replicas = Math.max(2, Math.ceil(wanted / growth.coresEach));
  const isTooMuch = growth.most !== undefined && replicas > growth.most;
  return { part, busy, replicas, coresEach: growth.coresEach, isTooMuch };
}

/** A limit that no replica lifts: what it is, how many events a second fit below it, and the way on. */
interface Wall {
  what: string;
  events: number;
  wayOn: string;
}

export function wallsOf({ each_us }: Costs): Wall[] {
  const perCore = (part: Part, cores: number) => Math.floor((cores * BUSY * 1e6) / each_us.event[part]);
  const walls: Wall[] = [
    {
      what: 'one service on the feed: a client may drain so often, and a drain gives so much',
      events: RATE_LIMITS.changes.per_second * DRAIN_EVENTS,
      wayOn: 'divide the service, or take its events by webhook',
    },
    {
      what: 'one service at the feed consumer: one replica at a time has its channel',
      events: perCore('feed-consumer', 1),
      wayOn: 'divide the service: the channels of several are shared among replicas',
    },
    {
      what: `one group of handlers: ${FEED_PARTITIONS} partitions, each handled in order by one process`,
      events: perCore('handler', FEED_PARTITIONS),
      wayOn: 'divide the service, or do less in the handler',
    },
    {
      what: `one cluster of NATS, of nodes with ${NATS_CORES} cores: each does all of it`,
      events: perCore('nats', NATS_CORES),
      wayOn: 'run the suite twice, each for some of the services',
    },
    {
      what: `a region's one Postgres, of ${POSTGRES_CORES} cores`,
      events: Math.floor((POSTGRES_CORES * BUSY * 1e6) / (each_us.event['postgres of a region'] + each_us.edit['postgres of a region'])),
      wayOn: 'divide the region',
    },
  ];
  return walls.toSorted((one, other) => one.events - other.events);
}

/** Returns how far the model was from the measurement, in total and for each part that has at least a tenth of the total. */
export function errorsOf({
  predicted_us,
  measured_us,
}: Costs['check']): { part: Part | 'all'; predicted: number; measured: number; error: number }[] {
  const sum = (of: Record<string, number>) => Object.values(of).reduce((all, us) => all + us, 0);
  const error = (part: Part | 'all', predicted: number, measured: number) => ({
    part,
    predicted,
    measured,
    error: predicted / measured - 1,
  });
  const all = error('all', sum(predicted_us), sum(measured_us));
  const parts = (Object.entries(measured_us) as [Part, number][]).filter(([, us]) => us >= all.measured / 10);
  return [all, ...parts.map(([part, us]) => error(part, predicted_us[part], us))];
}
