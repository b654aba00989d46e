import { FEED, READ_CHALLENGE } from '@cds/contracts';
import type { Bus } from '@cds/runtime/bus';
import { many, openDatabase, sql } from '@cds/runtime/db';
import { eventually, World } from '@cds/testing';

const AT = '2026-03-02T10:00:00.000Z';
const approved = (challenge_id: string) => ({ challenge_id, status: 'approved', completed_at: AT }) as const;

describe('the outcome of a challenge @spec D1-3.1', () => {
  let world: World;
  let operator: Bus;
  let shop: Bus;
  let events = 0;
  beforeAll(async () => {
    world = await World.open({ units: [] });
    [operator, shop] = [await world.operator('suite'), await world.busAs('shop-backend')];
    await publish(approved('chal_early'));
    await publish({ slug: 'city' }, { event: 'field_deleted' });
    await world.starts('twofa');
  });
  afterAll(() => world?.close());

  const publish = (outcome: object, { service = 'shop', event = '2fa_challenge_completed' } = {}) => {
    const id = `evt_${++events}`;
    const said = { event, id, person_user_id: 'usr_ana', share_code: 'ANA', at: AT, ...outcome };
    return operator.publish(FEED, { service, event, partition: 'p00' }, said as never, `${service}:${id}`);
  };
  const read = (challenge_id: string, service = 'shop') => shop.request(READ_CHALLENGE, { service }, { challenge_id });
  const handled = () =>
    eventually(async () => {
      const { num_pending, num_ack_pending } = await (await operator.manager()).consumers.info('FEED', 'twofa_outcomes');
      return num_pending + num_ack_pending === 0 ? true : undefined;
    });

  it('is kept as the feed brought it, and read as often as one asks', async () => {
    await publish(approved('chal_1'));
    await handled();

    expect(await read('chal_1')).toEqual(approved('chal_1'));
    expect(await read('chal_1')).toEqual(approved('chal_1'));
  });

  it('waits on the stream while the service is away', async () => {
    await handled();

    expect(await read('chal_early')).toEqual(approved('chal_early'));
  });

  it('is kept too where the event names the person by share code alone @gap D1-6.1', async () => {
    await publish({ ...approved('chal_2'), id: undefined, at: undefined, person_user_id: undefined });
    await handled();

    expect(await read('chal_2')).toEqual(approved('chal_2'));
  });

  it('stays what it was first, should an event come again or say something else', async () => {
    await publish(approved('chal_3'));
    await handled();
    await publish({ ...approved('chal_3'), status: 'denied' });
    await handled();

    expect(await read('chal_3')).toEqual(approved('chal_3'));
  });

  it('of a challenge that has none, or of another service, is refused', async () => {
    await publish(approved('chal_4'), { service: 'desk' });
    await handled();

    await expect(read('chal_4')).rejects.toMatchObject({ key: 'twofa.challenge_not_found' });
    await expect(read('chal_4', 'desk')).rejects.toMatchObject({ key: 'auth.client_endpoint_forbidden' });
  });

  it('is forgotten after a month, as new ones come', async () => {
    await publish(approved('chal_5'));
    await handled();
    const db = await openDatabase({ url: world.databaseUrl('twofa'), name: 'story', pool: 1 });
    await many(db, sql`update outcome set kept_at = kept_at - interval '31 days' where challenge_id = 'chal_5'`);
    await db.destroy();
    await publish(approved('chal_6'));
    await handled();

    await expect(read('chal_5')).rejects.toMatchObject({ key: 'twofa.challenge_not_found' });
    expect(await read('chal_6')).toEqual(approved('chal_6'));
  });
});
