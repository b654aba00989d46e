import { WaitingReads } from './waiting-reads.ts';

const HOUR = 3_600_000;

describe('waiting reads', () => {
  it('end together when their row is woken, while reads of other rows keep waiting', async () => {
    const reads = new WaitingReads();
    const both = Promise.all([reads.wait('1', HOUR), reads.wait('1', HOUR)]);
    const other = reads.wait('2', HOUR);

    reads.wake('1');

    await both;
    expect(reads.ids).toEqual(['2']);
    reads.wake('2');
    await other;
    expect(reads.ids).toEqual([]);
  });

  it('end when their timeout elapses, and leave nothing behind', async () => {
    const reads = new WaitingReads();
    await reads.wait('1', 1);
    await reads.wait('1', 0);
    expect(reads.ids).toEqual([]);
  });

  it('end when the process stops, and no new read waits after that', async () => {
    const reads = new WaitingReads();
    const waiting = reads.wait('1', HOUR);
    expect(reads.isClosed).toBe(false);

    reads.close();

    await waiting;
    expect(reads.isClosed).toBe(true);
    await reads.wait('2', HOUR);
    expect(reads.ids).toEqual([]);
  });

  it('are limited in number: a read over the limit does not wait', async () => {
    const reads = new WaitingReads(2);
    const waiting = [reads.wait('1', HOUR), reads.wait('2', HOUR)];
    expect(reads.isFull).toBe(true);

    await reads.wait('3', HOUR);

    expect(reads.ids).toEqual(['1', '2']);
    reads.wake('1');
    await waiting[0];
    expect(reads.size).toBe(1);
    waiting.push(reads.wait('3', HOUR));
    expect(reads.ids).toEqual(['2', '3']);
    reads.close();
    await Promise.all(waiting);
    expect(reads.size).toBe(0);
  });
});
