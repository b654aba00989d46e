import { connections, messages, operation, Refusal, registry } from '@codase/contracts';
import { importValuePrivateKey, openValue, readPrivateKeyPem } from '@codase/crypto/open';
import type { Bus } from '@codase/runtime/bus';
import { silentLog } from '@codase/runtime/telemetry';
import { TestBus } from '@codase/testing';
import { SERVICE_KEYS } from '@codase/testing/keys';
import type { Subscription } from '@nats-io/transport-node';
import { connect, type CodaseClient } from '../src/index.ts';

const [ANA] = SERVICE_KEYS;
const AT = '2026-03-02T10:00:00.000Z';

describe('messages that a service sends @spec D1-4.2', () => {
  let nats: TestBus;
  let codase: CodaseClient;
  let answering: Subscription[] = [];
  /** What the gateway was asked, in order. */
  const requests: { name: string; request: Record<string, unknown> }[] = [];
  const sent = (connection_id: string) => ({ message_id: `msg_${connection_id}`, connection_id, created_at: AT });

  beforeAll(async () => {
    nats = await TestBus.open();
    const bus: Bus = await nats.connect();
    codase = await connect({ ...nats.credentials, service: 'shop', log: silentLog, keyLog: { mode: 'off' } });
    const noted = <T>(name: string, answer: (request: T) => unknown) =>
      ((request: T) => {
        requests.push({ name, request: request as Record<string, unknown> });
        return answer(request);
      }) as never;
    answering = [
      await bus.answer(
        operation(messages.sendMessage),
        {},
        noted('send', ({ params }: { params: { connectionId: string } }) => sent(params.connectionId)),
      ),
      await bus.answer(
        operation(messages.broadcastMessage),
        {},
        noted('broadcast', ({ body }: { body: { messages: { connection_id: string }[] } }) => ({
          messages: body.messages.map(({ connection_id }) => sent(connection_id)),
        })),
      ),
      await bus.answer(
        operation(messages.acknowledgeMessages),
        {},
        noted('acknowledge', () => null),
      ),
      await bus.answer(
        operation(connections.readConnection),
        {},
        noted('connection', ({ params }: { params: { connectionId: string } }) => connectionOf(params.connectionId)),
      ),
      await bus.answer(
        operation(registry.readPublicKey),
        {},
        noted('key', ({ params: { shareCode: share_code } }: { params: { shareCode: string } }) => {
          if (share_code === 'NOBODY') throw new Refusal('keys.not_found');
          return { share_code, public_key: ANA.public_key };
        }),
      ),
      await bus.answer(
        operation(connections.requestConnection),
        {},
        noted('invite', () => ({ request_id: 'creq_1' })),
      ),
    ];
  });
  beforeEach(() => void requests.splice(0));
  afterAll(async () => {
    await Promise.all(answering.map((one) => one.drain()));
    await codase?.close();
    await nats?.close();
  });

  const connectionOf = (id: string) => ({
    id,
    person_id: 'usr_1',
    display_name: 'Ana',
    connected_at: AT,
    customer_type: 'person',
    share_code: id.toUpperCase(),
    values: {},
    values_private: {},
    fields: [],
  });
  const opens = async (body: unknown) =>
    openValue(await importValuePrivateKey(await readPrivateKeyPem(ANA.pem, ANA.passphrase)), body as string);
  const names = () => requests.map(({ name }) => name);

  it('are sealed to the public key in an event, and sent with their idempotency key', async () => {
    const event = { connection_id: 'conn_1', message_id: 'msg_0', person_public_key: ANA.public_key };

    expect(await codase.messages.send(event, 'Yes', { key: 'answer-msg_0' })).toEqual(sent('conn_1'));
    await codase.messages.acknowledge(event);

    expect(names()).toEqual(['send', 'acknowledge']);
    const { params, body } = requests[0]!.request as { params: object; body: { body: string; idempotency_key: string } };
    expect(params).toEqual({ connectionId: 'conn_1' });
    expect(body.idempotency_key).toBe('answer-msg_0');
    expect(await opens(body.body)).toBe('Yes');
    expect(JSON.stringify(requests)).not.toContain('Yes');
    expect(requests[1]!.request).toEqual({ params: { connectionId: 'conn_1' }, body: { message_id: 'msg_0' } });
  });

  it('look up a public key once, by the connection or the share code', async () => {
    await codase.messages.send({ connection_id: 'ben' }, 'one');
    await codase.messages.send({ connection_id: 'ben' }, 'two');
    await codase.messages.send({ connection_id: 'carl', share_code: 'CARL' }, 'three');
    await codase.messages.send({ connection_id: 'conn_1' }, 'the key of the event before');

    expect(names()).toEqual(['connection', 'key', 'send', 'send', 'key', 'send', 'send']);
    await expect(codase.messages.send({ connection_id: 'nobody' }, 'four')).rejects.toMatchObject({ key: 'keys.not_found' });
  });

  it('are sent to many readers in one call, each sealed separately', async () => {
    const some = ['ben', 'carl', 'ben'].map((connection_id, nth) => ({ connection_id, text: `text ${nth}` }));

    expect(await codase.messages.broadcast(some)).toEqual([sent('ben'), sent('carl'), sent('ben')]);
    expect(names()).toEqual(['broadcast']);
    const { messages: outgoing } = requests[0]!.request['body'] as { messages: { body: string }[] };
    expect(await Promise.all(outgoing.map(({ body }) => opens(body)))).toEqual(['text 0', 'text 1', 'text 2']);
  });

  it("require the gateway's HTTP server when they are longer than the bus carries", async () => {
    const some = Array.from({ length: 40 }, () => ({ connection_id: 'ben', text: 'x'.repeat(30_000) }));

    await expect(codase.messages.broadcast(some)).rejects.toThrow(/gateway/);
    expect(names()).toEqual([]);
  });

  it('can invite a person by share code', async () => {
    expect(await codase.invite('K7M2QX', { message: 'You asked us' })).toEqual({ request_id: 'creq_1' });
    expect(requests[0]!.request).toEqual({ body: { share_code: 'K7M2QX', message: 'You asked us' } });
  });
});
