import { DELIVERED_WITHIN_MS, keptMs } from './delivery-retention.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const WEBHOOK = { mode: 'webhook', webhook_id: 'wh_1', auth: { auth_type: 'none' }, encrypt_payload: false } as const;

describe('retention of events', () => {
  it('is KEPT_DAYS when all channels are drained', () => {
    expect(keptMs({ KEPT_DAYS: 1, CHANNELS: { shop: { mode: 'pull' } } })).toBe(DAY_MS);
  });

  it('is at least the time in which a webhook may repeat a delivery @gap D1-6.4', () => {
    const CHANNELS = { club: { mode: 'pull' }, shop: WEBHOOK } as const;

    expect(keptMs({ KEPT_DAYS: 1, CHANNELS })).toBe(DELIVERED_WITHIN_MS);
    expect(keptMs({ KEPT_DAYS: 1000, CHANNELS })).toBe(1000 * DAY_MS);
  });
});
