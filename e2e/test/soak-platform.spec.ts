import type { NatsServer } from '@cds/servers';
import { platformSoak } from '../src/index.ts';

it('tells every edit to the feed and to the webhook, in order, while regions, delivery, NATS and Postgres are killed', async () => {
  const nats = JSON.parse(process.env['CDS_TEST_NATS_SERVER']!) as NatsServer;

  const { kills, events, lost, duplicated, disordered, wrong } = await platformSoak({ nats, events: 100, kills: 4 });

  expect({ lost, duplicated, disordered, wrong }).toEqual({ lost: 0, duplicated: 0, disordered: 0, wrong: 0 });
  expect(kills).toBeGreaterThanOrEqual(4);
  expect(events).toBeGreaterThanOrEqual(100);
});
