import { DRAIN_ANSWER, DRAIN_EVENTS, EventName, NEVER_EMITTED, services, webhooks, type Refusal } from '@codase/contracts';
import { many, sql } from '@codase/runtime/db';
import { eventually } from '@codase/testing';
import { SERVICE_KEYS } from '@codase/testing/keys';
import { emit, type EventBody, type NewEvent } from '../../../src/services/feed/index.ts';
import { FeedWorld, PERSON, runsOf } from './feed-world.ts';

type Members<N> = Omit<Extract<EventBody, { event: N }>, 'event' | 'person_user_id' | 'share_code' | 'at'>;

const AT = '2026-11-15T08:00:00.000Z';
const SHA256 = 'a'.repeat(64);
const DOCUMENT = { document_id: 'doc_1', name: 'Terms', kind: 'agreement', payload_kind: 'file' } as const;
const SIGNED = {
  document_id: 'doc_1',
  status: 'active',
  action: 'signed',
  method: 'biometric',
  content_sha256: SHA256,
  signed_at: AT,
  cancel_effective_date: null,
  sealed_at: AT,
  plain_sha256: SHA256,
  signer_first_name: 'Ana',
  signer_last_name: 'Lind',
  signer_name_verified: true,
} as const;

/** Every kind of event with its own members. A test below covers an updated field whose slot is empty. */
const KINDS: { [N in Exclude<EventBody['event'], 'key_rotated' | 'field_updated'>]: Members<N> } = {
  connection_created: { customer_type: 'person' },
  connection_deleted: { customer_type: 'company' },
  field_deleted: { slug: 'email' },
  consent_accepted: { slug: 'email' },
  consent_declined: { slug: 'email' },
  document_status_changed: SIGNED,
  document_created: DOCUMENT,
  document_updated: DOCUMENT,
  document_deleted: DOCUMENT,
  connection_request_accepted: { request_id: 'req_1' },
  connection_request_rejected: { request_id: 'req_1' },
  flow_run_turn: { flow_run_id: 'run_1', awaiting_party: 'company' },
  flow_completed: { flow_run_id: 'run_1' },
  '2fa_challenge_completed': { challenge_id: 'cha_1', status: 'approved', completed_at: AT },
  message_received: {
    connection_id: 'con_1',
    message_id: 'msg_1',
    person_public_key: 'MIIB',
    created_at: AT,
    body: 'sealed',
  } as Members<'message_received'>,
};

const refused = (key: Refusal['key'], status: number) => expect.objectContaining({ key, status });

describe('the change feed @spec D1-4.3', () => {
  let feed: FeedWorld;
  beforeAll(async () => {
    feed = await FeedWorld.open();
  });
  afterAll(() => feed?.close());
  afterEach(() => feed.drainsAll());

  const newWebhook = async (body: object = {}, id = feed.shop.service_id!): Promise<string> =>
    (await feed.world.acme.asks(webhooks.createWebhook, { params: { id }, body: { url: 'https://hooks.acme.example', ...body } })).id;

  const newService = async (): Promise<string> => {
    const { public_key, encrypted_private_key } = SERVICE_KEYS[2];
    const keys = { public_key, encrypted_private_key: { ...encrypted_private_key, iter: 100_000 as const } };
    return (await feed.world.acme.asks(services.createService, { body: { name: 'Club', admin_email: 'club@acme.example', ...keys } })).id;
  };

  describe('the events of the feed', () => {
    it.each(Object.entries(KINDS))('include %s with exactly its members @spec D1-6.1 @spec D1-6.2', async (event, members) => {
      await feed.happens({ event, ...members } as EventBody);

      const { events } = await feed.drains();
      expect(events).toEqual([{ id: expect.stringMatching(/^evt_\w{24,}$/), event, ...PERSON, at: feed.now, ...members }]);
    });

    it('include every kind that is ever emitted @spec D1-6.1', () => {
      expect([...Object.keys(KINDS), 'field_updated', ...NEVER_EMITTED].toSorted()).toEqual([...EventName.options].toSorted());
    });

    it('have field_deleted in place of field_updated when the slot is empty by then @spec D1-6.1', async () => {
      await feed.happens({ event: 'field_updated', slug: 'email' });

      const { events } = await feed.drains();
      expect(events).toEqual([{ id: expect.any(String), event: 'field_deleted', ...PERSON, at: feed.now, slug: 'email' }]);
    });

    it('never include an invalid event: its transaction fails instead', async () => {
      await expect(feed.happens({ event: 'consent_accepted' } as EventBody, ...feed.turns(1))).rejects.toThrow('slug');

      expect(await feed.drains()).toEqual({ events: [], more: false });
    });

    it('never include an event of a transaction that was rolled back', async () => {
      await feed.db
        .transaction(async (tx) => {
          await feed.emits(tx, ...feed.turns(1));
          throw new Error('the change fails after all');
        })
        .catch(() => undefined);

      expect(await feed.drains()).toEqual({ events: [], more: false });
    });
  });

  describe('a drain', () => {
    it('deletes what it returns', async () => {
      await feed.happens(...feed.turns(2));

      expect(runsOf((await feed.drains()).events)).toEqual(['run_0', 'run_1']);
      expect(await feed.drains()).toEqual({ events: [], more: false });
    });

    it('returns the oldest events first, up to a limit, and says whether there are more @gap D1-4.3', async () => {
      for (let first = 0; first < 600; first += 200) await feed.happens(...feed.turns(200, first));
      await feed.happens(...feed.turns(400, 600));

      const drains = [await feed.drains(), await feed.drains(), await feed.drains()];
      expect(drains.map(({ events, more }) => [events.length, more])).toEqual([
        [DRAIN_EVENTS, true],
        [DRAIN_EVENTS, false],
        [0, false],
      ]);
      expect(runsOf(drains.flatMap(({ events }) => events))).toEqual(Array.from({ length: 1000 }, (_, i) => `run_${i}`));
    });

    it('returns no more than the maximum size of an answer @gap D1-4.3', async () => {
      await feed.happens(...Array.from({ length: 100 }, (_, i) => feed.message(i, 64 * 1024)));

      const { events, more } = await feed.drains();
      expect(Buffer.byteLength(JSON.stringify(events))).toBeLessThanOrEqual(DRAIN_ANSWER.bytes);
      expect([events.length, more]).toEqual([63, true]);
      expect((await feed.drains()).events).toHaveLength(37);
    });

    it('returns no event older than seven days @spec D1-8', async () => {
      await feed.happens(...feed.turns(1));
      await feed.passes({ hours: 7 * 24 - 1 });
      await feed.happens(...feed.turns(1, 1));
      expect(runsOf((await feed.drains()).events)).toEqual(['run_0', 'run_1']);

      await feed.happens(...feed.turns(1, 2));
      await feed.passes({ hours: 7 * 24 + 1 });
      await feed.happens(...feed.turns(1, 3));
      expect(runsOf((await feed.drains()).events)).toEqual(['run_3']);
    });

    it('refuses unknown query parameters, so that a typo does not drain the plain channel', async () => {
      await expect(feed.drains({ webhook: 'wh_1' } as object)).rejects.toEqual(refused('request.invalid', 400));
    });
  });

  describe('collapsing to the latest event @spec D1-6.2', () => {
    const queued = async (last: number) => {
      const rows = await many<{ id: string }>(feed.db, sql`select id from feed_event order by seq desc limit ${last}`);
      return rows.map(({ id }) => id).toReversed();
    };

    it('keeps the latest status of a document, with its own id', async () => {
      await feed.happens({ event: 'document_status_changed', ...SIGNED, status: 'ready_to_sign' }, ...feed.turns(1));
      await feed.happens(
        { event: 'document_status_changed', ...SIGNED, document_id: 'doc_2' },
        { event: 'document_status_changed', ...SIGNED },
      );
      const [, ...standing] = await queued(4);

      const { events } = await feed.drains();
      expect(events.map(({ id }) => id)).toEqual(standing);
      expect(events.at(-1)).toMatchObject({ document_id: 'doc_1', status: 'active' });
    });

    it('keeps the latest answer of a person to connect requests', async () => {
      await feed.happens(
        { event: 'connection_request_rejected', request_id: 'req_1' },
        { event: 'connection_request_accepted', request_id: 'req_2' },
      );

      expect((await feed.drains()).events).toEqual([
        expect.objectContaining({ event: 'connection_request_accepted', request_id: 'req_2' }),
      ]);
    });

    it('keeps the latest challenge outcome of a person @spec D1-3.1', async () => {
      const challenge = (challenge_id: string) =>
        ({ event: '2fa_challenge_completed', challenge_id, status: 'denied', completed_at: AT }) as const;
      await feed.happens(challenge('cha_1'), challenge('cha_2'));

      expect((await feed.drains()).events).toEqual([expect.objectContaining({ challenge_id: 'cha_2' })]);
    });

    it('removes an earlier event also when the later one is on a later page', async () => {
      await feed.happens({ event: 'document_status_changed', ...SIGNED, status: 'ready_to_sign' }, ...feed.turns(DRAIN_EVENTS));
      await feed.happens({ event: 'document_status_changed', ...SIGNED });

      const events = await feed.drainsAll();
      expect(events.filter(({ event }) => event === 'document_status_changed')).toEqual([expect.objectContaining({ status: 'active' })]);
      expect(events).toHaveLength(DRAIN_EVENTS + 1);
    });
  });

  describe('the channel of a webhook @spec D1-2.9', () => {
    it("is drained only by the webhook's id", async () => {
      const webhook_id = await newWebhook();
      await feed.happens(...feed.turns(2));

      const plain = await feed.drains();
      const own = await feed.drains({ webhook_id });
      expect([runsOf(plain.events), runsOf(own.events)]).toEqual([
        ['run_0', 'run_1'],
        ['run_0', 'run_1'],
      ]);
      expect(await feed.drains({ webhook_id })).toEqual({ events: [], more: false });
    });

    it('contains only subscribed events, and none while the webhook is disabled', async () => {
      const [wanting, other, disabled] = [
        await newWebhook({ events: ['flow_run_turn'] }),
        await newWebhook({ events: ['flow_completed'] }),
        await newWebhook({ enabled: false }),
      ];
      await feed.happens(...feed.turns(1));

      const counts = await Promise.all(
        [wanting, other, disabled].map(async (webhook_id) => (await feed.drains({ webhook_id })).events.length),
      );
      expect(counts).toEqual([1, 0, 0]);
    });

    it('contains only events of its own service when one transaction emits for several', async () => {
      const [shop, club] = [feed.shop.service_id!, await newService()];
      const channels = [shop, await newWebhook({}, shop), club, await newWebhook({}, club)];
      const reported = (service_id: string, flow_run_id: string): NewEvent => ({
        company_user_id: feed.shop.company_user_id,
        service_id,
        event: { event: 'flow_completed', ...PERSON, at: feed.now, flow_run_id },
      });
      await feed.db.transaction((tx) => emit(tx, [reported(club, 'own_0'), reported(shop, 'own_1'), reported(club, 'own_2')]));

      const runsIn = async (channel: string) =>
        (
          await many<{ run: string }>(
            feed.db,
            sql`
          select body ->> 'flow_run_id' as run from feed_event where channel = ${channel} and body ->> 'flow_run_id' like 'own%'
            order by seq`,
          )
        ).map(({ run }) => run);
      expect(await Promise.all(channels.map(runsIn))).toEqual([['own_1'], ['own_1'], ['own_0', 'own_2'], ['own_0', 'own_2']]);
    });

    it('is drained without queued events that the webhook is no longer subscribed to @spec D1-2.9', async () => {
      const webhook_id = await newWebhook({ events: ['flow_run_turn', 'flow_completed', 'field_updated'] });
      await feed.happens(...feed.turns(1), { event: 'flow_completed', flow_run_id: 'run_1' }, { event: 'field_updated', slug: 'email' });
      await feed.world.acme.asks(webhooks.changeWebhook, {
        params: { id: feed.shop.service_id!, webhookId: webhook_id },
        body: { url: 'https://hooks.acme.example', events: ['flow_completed', 'field_updated'] },
      });

      expect(await feed.drains({ webhook_id })).toMatchObject({ events: [{ event: 'flow_completed' }], more: false });
      // The answer leaves a moment before its transaction ends.
      await eventually(
        async () => (await many(feed.db, sql`select from feed_event where channel = ${webhook_id}`)).length === 0 || undefined,
      );
    });

    it.each<[string, () => Promise<string>]>([
      ['unknown', async () => 'wh_unknown'],
      ['of another service', async () => newWebhook({}, await newService())],
      ['no webhook but the service itself', async () => feed.shop.service_id!],
    ])('is not found by an id that is %s, and the plain channel is not drained', async (_, idOf) => {
      const webhook_id = await idOf();
      await feed.happens(...feed.turns(1));

      await expect(feed.drains({ webhook_id })).rejects.toEqual(refused('services.webhook_not_found', 404));
      expect(runsOf((await feed.drains()).events)).toEqual(['run_0']);
    });
  });
});
