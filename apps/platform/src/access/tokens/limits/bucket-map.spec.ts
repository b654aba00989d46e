import { BucketMap } from './bucket-map.ts';

const BUCKET = { burst: 2, per_second: 1, by: 'address' } as const;

describe('BucketMap', () => {
  it('empties a bucket call by call, and fills it again over time', () => {
    const buckets = new BucketMap(BUCKET, 10);

    expect([0, 0, 0, 1000].map((now) => buckets.take('a', now))).toEqual([0, 0, 1, 0]);
  });

  it('has a separate bucket for each key', () => {
    const buckets = new BucketMap(BUCKET, 10);
    buckets.take('a', 0);
    buckets.take('a', 0);

    expect(buckets.take('b', 0)).toBe(0);
  });

  it('removes the least recently used bucket when it is full', () => {
    const buckets = new BucketMap({ ...BUCKET, burst: 1 }, 2);
    const [first, again] = [buckets.take('old', 0), buckets.take('old', 1000)];
    buckets.take('older', 0);
    buckets.take('old', 2000);
    buckets.take('new', 2000); // 'older' is removed

    expect([first, again]).toEqual([0, 0]);
    expect(buckets.take('old', 2000)).toBe(1);
    expect(buckets.take('new', 2000)).toBe(1);
  });
});
