import { BUS_MESSAGE_BYTES, companyData, connections, feed } from '@codase/contracts';
import { refuseLongFile, refuseLossyDrain } from './bus-limits.ts';

const MEGABYTE = 1024 * 1024;

describe('size limits of the bus', () => {
  it('allow a file only while its encoded form fits into a message', () => {
    const file = (length: number) => () =>
      refuseLongFile(connections.readSlotFile, { content_type: 'image/png', bytes: new Uint8Array(length) }, MEGABYTE);
    const sealed = (length: number) => () =>
      refuseLongFile(connections.readSlotFile, { encrypted: true, value: 'x'.repeat(length) }, MEGABYTE);

    expect(file(700_000)).not.toThrow();
    expect(file(800_000)).toThrow(/HTTP server/);
    expect(sealed(1_000_000)).not.toThrow();
    expect(sealed(1_048_000)).toThrow(/HTTP server/);
  });

  it('allow a drain only when it is leased or its answer always fits @gap D1-4.3', () => {
    expect(() => refuseLossyDrain(feed.drainChanges, { query: {} }, MEGABYTE)).toThrow(/set max_payload/);
    expect(() => refuseLossyDrain(feed.drainChanges, { query: { lease: 'new' } }, MEGABYTE)).not.toThrow();
    expect(() => refuseLossyDrain(feed.drainChanges, { query: {} }, BUS_MESSAGE_BYTES)).not.toThrow();
    expect(() => refuseLossyDrain(companyData.whoami, {}, MEGABYTE)).not.toThrow();
  });
});
