import { BucketMap } from '@codase/platform';
import { bench } from './harness/bench.ts';
import { loadPeer, type RateLimiterFlexible } from './harness/peers.ts';
import { repeat, repeatAsync } from './harness/repeat.ts';

const ADDRESSES = 10_000;
/** So many tokens that none is refused: a refusal of the peer is a rejected promise, which would be measured instead. */
const MANY = 1e9;

async function setup() {
  const { RateLimiterMemory } = await loadPeer<RateLimiterFlexible>('rate-limiter-flexible');
  return {
    counts: new Map<string, number>(),
    ours: new BucketMap({ burst: MANY, per_second: 1, by: 'address' }, ADDRESSES),
    peer: new RateLimiterMemory({ points: MANY, duration: 60 }),
  };
}
type State = Awaited<ReturnType<typeof setup>>;

let next = 0;
const address = (): string => `10.0.${(next = (next + 1) % ADDRESSES) >> 8}.${next & 255}`;

/** Measures what a limit by address costs in memory, where every request for a token is charged. The floor counts without any limit. */
export default bench({
  name: 'rate-limits',
  what: 'a token taken from the bucket of one of 10,000 addresses, against rate-limiter-flexible in memory and a bare count',
  unit: 'charges/s',
  setup,
  contenders: {
    floor: repeat(({ counts }: State) => {
      const key = address();
      return counts.set(key, (counts.get(key) ?? 0) + 1);
    }),
    'rate-limiter-flexible': repeatAsync(({ peer }: State) => peer.consume(address())),
    ours: repeat(({ ours }: State) => ours.take(address(), Date.now())),
  },
  bar: [{ figure: 'cpu_us', over: 'rate-limiter-flexible', atMost: 0.75 }],
});
