import { DELIVERED_WITHIN_MS, keptMs } from './delivery-retention.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const WEBHOOK = { mode: 'webhook', webhook_id: 'wh_1', auth: { auth_type: 'none' }, encrypt_payload: false } as const;

describe('how long events are kept', () => {
  it('is as the setting says where all are drained', () => {
    expect(keptMs({ KEPT_DAYS: 1, CHANNELS: { shop: { mode: 'pull' } } })).toBe(DAY_MS);
  });

  it('is at least as long as a webhook may deliver one, so that a repeated delivery is known @gap D1-6.4', () => {
    const CHANNELS = { club: { mode: 'pull' }, shop: WEBHOOK } as const;

    expect(keptMs({ KEPT_DAYS: 1, CHANNELS })).toBe(DELIVERED_WITHIN_MS);
    expect(keptMs({ KEPT_DAYS: 1000, CHANNELS })).toBe(1000 * DAY_MS);
  });
});
