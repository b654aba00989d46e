import { RESEND, type Sealed } from '@codase/contracts';
import { eventually, World } from '@codase/testing';
import { PlayedGateway } from './played-gateway.ts';

/** An inbox that remembers what was handled, as the database of a service does when the bus comes back from an older copy. */
function rememberingInbox() {
  const noted = new Set<string>();
  return {
    async once({ consumer, message_id }: { consumer: string; message_id: string }, work: (tx: undefined) => Promise<void>) {
      if (noted.has(`${consumer} ${message_id}`)) return false;
      await work(undefined);
      noted.add(`${consumer} ${message_id}`);
      return true;
    },
  };
}

/** Restores the bus as docs/operations/backup-and-restore.md says. */
describe('a stream restored from an older copy', () => {
  let world: World;
  let gateway: PlayedGateway;
  beforeAll(async () => {
    world = await World.open({ units: [] });
    gateway = await PlayedGateway.open(world);
    await world.starts('feed-consumer');
  });
  afterAll(() => world?.close());

  it('gets its lost events from a resend: each group handles each one once, and those that fail are parked again', async () => {
    const codase = await world.internalService();
    const [steady, late]: [string[], string[]] = [[], []];
    const inbox = rememberingInbox();
    const noting = (handled: string[]) => ({
      message_received: ({ message_id, person_user_id }: { message_id: string; person_user_id: string; body: Sealed }) => {
        if (person_user_id === 'usr_ben') throw new Error('this group cannot handle it');
        handled.push(message_id);
      },
    });
    const begins = (name: string, handled: string[]) => codase.handle(name, inbox, noting(handled), { backoffMs: [] });
    const handledBy = (handled: string[], count: number) => eventually(async () => (handled.length >= count ? true : undefined));
    const writes = () => (gateway.writes('usr_ana') as { message_id: string }).message_id;
    const sent: string[] = [];

    await begins('customers', steady);
    const group = await begins('cli', late);
    sent.push(writes(), writes());
    await Promise.all([handledBy(steady, 2), handledBy(late, 2)]);
    const copy = await world.copiesBus();
    sent.push(writes());
    gateway.writes('usr_ben');
    gateway.queue.push('no event' as never);
    await Promise.all([handledBy(steady, 3), handledBy(late, 3)]);
    const parked = await parkedFrom(3);
    await group.stop();
    sent.push(writes()); // one group has handled this one when the bus is lost, and the other has not
    await handledBy(steady, 4);

    await world.restoresBus(copy);
    sent.push(writes()); // newer than the events that are missing
    await handledBy(steady, 5);
    const range = { from: new Date(0).toISOString(), to: (await storedUntil()).toISOString() };
    const resent = await gateway.bus.request(RESEND, { service: 'shop' }, { ...range, lost: true }, { timeout: 60_000 });
    await begins('cli', late);
    await handledBy(late, 5);

    expect(resent).toEqual({ events: 7, next: null });
    await eventually(async () => ((await unhandled()) === 0 ? true : undefined));
    expect([steady.toSorted(), late.toSorted()]).toEqual([sent.toSorted(), sent.toSorted()]);
    expect(await parkedFrom(3)).toEqual(parked);
  });

  it('a resend is rejected when its range ends in the future, because it would never end', async () => {
    const range = { from: new Date(0).toISOString(), to: new Date(Date.now() + 3_600_000).toISOString() };

    await expect(gateway.bus.request(RESEND, { service: 'shop' }, { ...range, lost: true })).rejects.toMatchObject({
      key: 'request.invalid',
    });
  });

  /** Subject and content of the parked messages, as soon as `count` of them are there. */
  const parkedFrom = async (count: number) =>
    (await gateway.parked(count)).map(({ subject, event }) => `${subject} ${JSON.stringify(event)}`).toSorted();

  /** Returns a time after all stored events. The clock of the world stands still, so it is moved by a second. */
  async function storedUntil(): Promise<Date> {
    await eventually(async () => ((await gateway.streamed(3)).length >= 3 ? true : undefined));
    await world.passes({ seconds: 1 });
    return world.now;
  }

  async function unhandled(): Promise<number> {
    let waiting = 0;
    for await (const { num_pending, num_ack_pending } of (await gateway.bus.manager()).consumers.list('FEED'))
      waiting += num_pending + num_ack_pending;
    return waiting;
  }
});
