import { standardHeaders } from './standard-headers.ts';

it('a delivery by Standard Webhooks is not made without a key of the region @gap D1-6.4', async () => {
  const signed = { webhook_id: 'wh_1', event_id: 'evt_1', body: Buffer.from('{}'), secrets: {}, keys: [] };

  await expect(standardHeaders(signed, new Date())).rejects.toThrow('no key that signs');
});
