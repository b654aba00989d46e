import { generateKeyPairSync, sign } from 'node:crypto';
import { auditLog, connections, messages, operation, Refusal, registry, type Output } from '@codase/contracts';
import { keyCommitment, publicKeySha256, type HeadKey, type SeenHead } from '@codase/crypto';
import type { Bus } from '@codase/runtime/bus';
import { ManualClock } from '@codase/runtime/clock';
import { silentLog } from '@codase/runtime/telemetry';
import { collectTelemetry, TestBus } from '@codase/testing';
import { SERVICE_KEYS } from '@codase/testing/keys';
import { connect, type CodaseClient, type KeyLogOptions } from '../src/index.ts';

const { measured } = collectTelemetry();
const [ANA, THIEF] = SERVICE_KEYS;
const NOW = new Date('2026-03-02T10:00:00.000Z');
const ORIGIN = 'codase.example/.well-known/codase-log/1';
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const SIGNER = { ...publicKey.export({ format: 'jwk' }), kid: 'signer' } as HeadKey & { kid: string };
type Proof = Output<typeof auditLog.readKeyProof>;
type ProofRequest = { params: { owner: string; key_sha256: string }; query: { seen_log?: string; seen_size?: string } };

const sha256 = async (...parts: Uint8Array[]) => Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.concat(parts)));

/** A log with one leaf, which is that of Ana's key. */
async function proofOfAna(): Promise<Proof> {
  const opening = { at: '2026-03-02T09:00:00.000Z', salt: 'a salt', entry_salt: 'another' };
  const key = { kind: 'account', owner: 'ANA', key_sha256: await publicKeySha256(ANA.public_key) };
  const entry = JSON.stringify({
    account_id: null,
    act: 'key.logged',
    address: null,
    at: opening.at,
    client_id: null,
    details: { commitment: await keyCommitment(key, opening.salt) },
    initiator: 'platform',
    object: null,
    outcome: 'done',
    salt: opening.entry_salt,
  });
  const root = await sha256(Buffer.of(0), await sha256(Buffer.from(entry)));
  const text = `${ORIGIN}\n1\n${root.toString('base64')}\ntime ${NOW.toISOString()}\n`;
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  const head = `${text}\n— ${ORIGIN} ${Buffer.concat([Buffer.alloc(4), signature]).toString('base64')}\n`;
  return { ...opening, leaf: 0, path: [], head, consistency: [], base: 'front-door', keys: [SIGNER] };
}

describe('the keys of readers, before something is sealed to them @gap D1-8', () => {
  let nats: TestBus;
  let bus: Bus;
  let proof: Proof;
  let served: string;
  let answer: (request: ProofRequest) => unknown;
  let clock: ManualClock;
  const clients: CodaseClient[] = [];
  const requests: ProofRequest[] = [];
  const sent: string[] = [];

  beforeAll(async () => {
    nats = await TestBus.open();
    bus = await nats.connect();
    proof = await proofOfAna();
    await bus.answer(operation(registry.readPublicKey), {}, () => ({ share_code: 'ANA', public_key: served }) as never);
    await bus.answer(operation(connections.readConnection), {}, () => ({ id: 'conn_1', share_code: 'ANA' }) as never);
    await bus.answer(operation(messages.sendMessage), {}, (request) => {
      const { connectionId } = (request as { params: { connectionId: string } }).params;
      sent.push(connectionId);
      return { message_id: 'msg_1', connection_id: connectionId, created_at: NOW.toISOString() } as never;
    });
    await bus.answer(operation(auditLog.readKeyProof), {}, (request) => {
      requests.push(request as never);
      return answer(request as never) as never;
    });
  });
  beforeEach(() => {
    [served, clock] = [ANA.public_key, new ManualClock(NOW)];
    answer = () => proof;
    for (const list of [requests, sent]) list.length = 0;
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await nats?.close();
  });

  const client = async (keyLog?: KeyLogOptions) => {
    const made = await connect({ ...nats.credentials, service: 'shop', log: silentLog, clock, ...(keyLog && { keyLog }) });
    clients.push(made);
    return made;
  };
  const writes = (to: CodaseClient, key?: string) =>
    to.messages.send({ connection_id: 'conn_1', share_code: 'ANA', ...(key !== undefined && { person_public_key: key }) }, 'Hello');
  const counted = async (outcome: string) =>
    (await measured())
      .filter(({ name, attributes }) => name === 'codase.client.keys.checked' && attributes['codase.outcome'] === outcome)
      .reduce((sum, { value }) => sum + (value as number), 0);
  const notLogged = () => {
    throw new Refusal('keys.not_logged');
  };

  it('are checked once, and each head is seen', async () => {
    const seen: SeenHead[] = [];
    const shop = await client({ mode: 'require', onSeen: (head) => seen.push(head) });
    for (let n = 0; n < 3; n++) await writes(shop);

    expect(requests).toEqual([{ params: { kind: 'account', owner: 'ANA', key_sha256: await publicKeySha256(ANA.public_key) }, query: {} }]);
    expect(seen).toMatchObject([{ log: 1, size: 1 }]);
    expect(sent).toHaveLength(3);
    expect(await counted('logged')).toBe(1);
  });

  it('are not sealed to when the log must show them and does not', async () => {
    const shop = await client({ mode: 'require' });
    served = THIEF.public_key;
    await expect(writes(shop)).rejects.toMatchObject({ name: 'KeyNotLogged', fault: 'key' });
    answer = notLogged;
    await expect(writes(shop)).rejects.toMatchObject({ key: 'keys.not_logged' });

    expect(sent).toEqual([]);
    expect(await counted('not_logged')).toBe(2);
  });

  it('are counted, and sealed to all the same, when it was not said what to do', async () => {
    const shop = await client();
    served = THIEF.public_key;
    const before = await counted('not_logged');
    await writes(shop);
    await writes(shop);

    expect(sent).toHaveLength(2);
    expect(await counted('not_logged')).toBe(before + 2);
  });

  it('are checked as well when an event brought them, and again when an event brings another one', async () => {
    const shop = await client({ mode: 'require' });
    await writes(shop, ANA.public_key);
    await expect(writes(shop, THIEF.public_key)).rejects.toMatchObject({ fault: 'key' });
    await writes(shop, ANA.public_key);

    expect(sent).toHaveLength(2);
  });

  it('are not believed by a head that another key signed than those which the company knows', async () => {
    const known = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }) as unknown as HeadKey;
    const shop = await client({ mode: 'require', keys: [known] });

    await expect(writes(shop)).rejects.toMatchObject({ fault: 'head' });
  });

  it('are not believed by a log that is smaller than the one that was seen before a restart', async () => {
    const seen = { address: ORIGIN.slice(0, -2), log: 1, size: 2, root: Buffer.alloc(32).toString('base64') };
    const shop = await client({ mode: 'require', seen });

    await expect(writes(shop)).rejects.toMatchObject({ fault: 'history' });
    expect(requests[0]!.query).toEqual({ seen_log: '1', seen_size: '2' });
  });

  it('are waited for when they must be shown and are not in the log yet', async () => {
    const shop = await client({ mode: 'require' });
    answer = () => {
      if (requests.length < 2) throw new Refusal('keys.not_logged_yet');
      return proof;
    };
    await writes(shop);

    expect(requests).toHaveLength(2);
  });

  it('are not asked for again for a while when no proof can be had, unless they must be shown', async () => {
    const away = () => {
      throw new Refusal('service.unavailable');
    };
    answer = away;
    const shop = await client();
    for (let n = 0; n < 3; n++) await writes(shop);
    expect(requests).toHaveLength(1);
    clock.passes(31_000);
    await writes(shop);
    expect(requests).toHaveLength(2);

    await expect(writes(await client({ mode: 'require' }))).rejects.toMatchObject({ key: 'service.unavailable' });
    expect(sent).toHaveLength(4);
  });

  it('are not asked for when the company says so', async () => {
    await writes(await client({ mode: 'off' }));

    expect(requests).toEqual([]);
    expect(sent).toHaveLength(1);
  });
});
