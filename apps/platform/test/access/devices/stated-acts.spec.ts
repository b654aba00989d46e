import {
  CHALLENGE_SUBJECTS,
  CONNECT_REQUEST_SUBJECTS,
  CONNECTION_SUBJECTS,
  approvals,
  customerRuns,
  MESSAGE_SUBJECTS,
  personMessages,
  Refusal,
  RUN_SUBJECTS,
  type PeerSubject,
  type PersonAct,
} from '@codase/contracts';
import { sealedFor } from '@codase/actors';
import type { Bus } from '@codase/runtime/bus';
import { many, sql } from '@codase/runtime/db';
import { onBehalfOf } from '@codase/runtime/initiator';
import { Device, eventually, World, type Company, type OwnConnection, type Person } from '@codase/testing';
import { decodeJwt } from 'jose';
import type { DataSource } from 'typeorm';
import { statedDigest } from '../../../src/foundation/peers/index.ts';
import { ORDER, publishes } from '../../agreements/runs/flow-runs-world.ts';
import { asksFor } from '../../sharing/connections/connections-world.ts';
import { inOwnTransaction } from '../../support/platform-internals.ts';

const NOT_PROVEN = { key: 'account.device_required', status: 403 };
/** The region that the company of these tests does not live in. */
const ELSEWHERE = 'us';

/** A customer of the shop, with a device or without one. */
interface Customer {
  person: Person;
  connection: OwnConnection;
  device?: Device;
}

/** An act that waits to be done: by the person, or by a region in the person's name. */
interface Prepared {
  does(): Promise<unknown>;
  /** What the audit has of it: the act, its object where that is known before, and what a device states. */
  audited: string;
  on: string;
  /** The request by which a region sends the act, and the act that its device would state. */
  sent: { subject: PeerSubject; request: object; act: PersonAct };
}

/** Answers, shares, changes and messages. The company lives in eu, so a person of us acts across regions. */
describe('statements over what persons answer, share, change and write @gap D1-5', () => {
  let world: World;
  let db: DataSource;
  let stolen: Bus;
  let flow: string;
  let acme: Company;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    db = await world.opensDatabase('region_eu', { pool: 2 });
    stolen = await world.busAs(`platform-region-${ELSEWHERE}`);
    acme = world.acme;
    await asksFor(acme, world.shop.service_id!, [
      { slug: 'mail', label: 'E-mail', type: 'email' },
      { slug: 'name', label: 'Name', type: 'text' },
      { slug: 'scan', label: 'A scan', type: 'legal_document' },
    ]);
    flow = await publishes(acme, world.shop.service_id!, ORDER);
  });
  afterAll(() => world?.close());

  const customer = async (region: 'eu' | 'us'): Promise<Customer> => {
    const person = await world.signsUp({ type: 'person', region });
    return { person, connection: await person.connections.connects('ACME/SHOP', { name: 'Ana' }) };
  };
  const withDevice = async (region: 'eu' | 'us'): Promise<Customer & { device: Device }> => {
    const [one, device] = [await customer(region), new Device(() => world.now)];
    await getsDevice(one.person, device, region);
    return { ...one, device };
  };
  /** Signs in with the device, and waits until both regions know it. From then on they refuse what no device has signed. */
  const getsDevice = async (person: Person, device: Device, region: 'eu' | 'us'): Promise<void> => {
    person.uses(device);
    await person.signsIn();
    const isRefused = (call: Promise<unknown>) =>
      call.then(
        () => undefined,
        (error: Refusal) => (error.key === NOT_PROVEN.key ? true : undefined),
      );
    const challenge_id = 'chal_of_nobody';
    const bare = { person_user_id: person.user_id, challenge_id, answer: { kind: 'deny' } } as const;
    const bus = await world.busAs(`platform-region-${region}`);
    await eventually(() => isRefused(bus.request(CHALLENGE_SUBJECTS.answer, { region: region === 'eu' ? 'us' : 'eu' }, bare)));
    person.uses(undefined);
    await eventually(() => isRefused(person.asks(approvals.denyChallenge, { params: { challengeId: challenge_id } })));
    person.uses(device);
    await person.signsIn();
  };
  const auditOf = (person: Person, act: string) =>
    many<{ object: string; statement: string | null }>(
      db,
      sql`select object, details->>'statement' as statement from audit.entry
           where initiator = ${person.user_id} and act = ${act} and outcome = 'done' order by at, seq`,
    );

  /** Every act on a connection, with what a region would send for it. */
  const ACTS: Readonly<Record<string, (customer: Customer) => Promise<Prepared>>> = {
    answer_customer_run: async ({ person, connection }) => {
      const run = await world.shop.flows.starts(flow, { target: { connection_id: connection.id } });
      const { party_keys } = await person.flows.reads(connection, run);
      const answers = await sealedFor(party_keys, { quantity: '2' });
      const body = { answers, next_node: 'price' };
      const params = { connectionId: connection.id, runId: run.id };
      const turn = { ...body, answers: answers.map((answer) => ({ ...answer, source_private: false, verification: {} })) };
      const request = { user_id: person.user_id, connection_id: connection.id, run_id: run.id, turn };
      return {
        does: () => person.asks(customerRuns.answerCustomerRun, { params, body }),
        audited: 'flow_run.answered',
        on: run.id,
        sent: { subject: RUN_SUBJECTS.answer, request, act: { act: 'answer_customer_run', on: run.id, body } },
      };
    },
    write_message: async ({ person, connection }) => {
      const body = { connection_id: connection.id, body: await person.sealsFor(world.shop, 'Is it there yet?') };
      return {
        does: () => person.asks(personMessages.writeMessage, { body }),
        audited: 'message.written',
        on: connection.id,
        sent: {
          subject: MESSAGE_SUBJECTS.write,
          request: { user_id: person.user_id, ...body },
          act: { act: 'write_message', on: connection.id, body },
        },
      };
    },
    change_customer_connection: async ({ person, connection }) => {
      const value = await person.sealsFor(world.shop, 'ana@person.example');
      const values = [{ slug: 'mail', value, live: true, source_private: true, source: null }];
      const request = { user_id: person.user_id, connection_id: connection.id, values, drop: [], decline: ['scan'], at: later() };
      const body = { values: [{ slug: 'mail', value }], decline: ['scan'] };
      return {
        does: () => person.connections.changes(connection.id, body),
        audited: 'connection.changed',
        on: connection.id,
        sent: {
          subject: CONNECTION_SUBJECTS.change,
          request,
          act: { act: 'change_customer_connection', on: connection.id, body },
        },
      };
    },
    reject_connect_request: async ({ person, connection }) => {
      await person.connections.disconnects(connection);
      const { request_id } = await world.shop.invites(person, 'Come back');
      return {
        does: () => person.invitations.rejects({ request_id }),
        audited: 'connection_request.rejected',
        on: request_id,
        sent: {
          subject: CONNECT_REQUEST_SUBJECTS.reject,
          request: { person_user_id: person.user_id, request_id },
          act: { act: 'reject_connect_request', on: request_id, body: {} },
        },
      };
    },
    disconnect: async ({ person, connection }) => ({
      does: () => person.connections.disconnects(connection),
      audited: 'connection.ended',
      on: connection.id,
      sent: {
        subject: CONNECTION_SUBJECTS.disconnect,
        request: { user_id: person.user_id, connection_id: connection.id },
        act: { act: 'disconnect', on: connection.id, body: {} },
      },
    }),
    connect: async ({ person, connection }) => {
      await person.connections.disconnects(connection);
      const value = await person.sealsFor(world.shop, 'Ana');
      return {
        does: () => person.connections.connects('ACME/SHOP', { name: 'Ana' }),
        audited: 'connection.created',
        on: 'ACME/SHOP',
        sent: {
          subject: CONNECTION_SUBJECTS.connect,
          request: connecting(person, [{ slug: 'name', value }], { company_code: 'ACME' }),
          act: { act: 'connect', on: 'ACME/SHOP', body: { code: 'ACME/SHOP', values: [{ slug: 'name', value }] } },
        },
      };
    },
    accept_connect_request: async ({ person, connection }) => {
      await person.connections.disconnects(connection);
      const { request_id } = await world.shop.invites(person, 'Come back');
      return {
        does: async () => person.invitations.accepts((await person.invitations.lists()).find((one) => one.request_id === request_id)!),
        audited: 'connection.created',
        on: request_id,
        sent: {
          subject: CONNECTION_SUBJECTS.connect,
          request: connecting(person, [], { request_id }),
          act: { act: 'accept_connect_request', on: request_id, body: {} },
        },
      };
    },
  };
  const later = () => new Date(world.now.getTime() + 1000).toISOString();
  const connecting = (person: Person, values: readonly { slug: string; value: string }[], by: object) => ({
    company_user_id: acme.user_id,
    service_code: 'SHOP',
    customer: {
      user_id: person.user_id,
      type: 'person' as const,
      display_name: 'Ana',
      share_code: person.share_code,
      public_key: person.public_key,
    },
    values: values.map((value) => ({ ...value, live: true, source_private: true, source: null })),
    by,
    at: later(),
  });
  const NAMES = Object.keys(ACTS);

  describe.each(['eu', 'us'] as const)('at home in %s', (region) => {
    it.each(NAMES)('%s is stored with the statement of a device', async (name) => {
      const one = await withDevice(region);
      const { does, audited, on } = await ACTS[name]!(one);

      await does();

      const { statement } = (await auditOf(one.person, audited)).at(-1)!;
      expect(decodeJwt(statement!)).toMatchObject({ act: name, on });
    });

    it.each(NAMES)('%s of a person without a device is stored without one, as before', async (name) => {
      const one = await customer(region);
      const { does, audited } = await ACTS[name]!(one);

      await does();

      expect((await auditOf(one.person, audited)).at(-1)).toMatchObject({ statement: null });
    });

    it.each(NAMES)('%s is refused without a statement, also in a session with a bearer token', async (name) => {
      const one = await withDevice(region);
      const { does, audited } = await ACTS[name]!(one);
      const before = await auditOf(one.person, audited);
      one.person.uses(undefined);

      await expect(does()).rejects.toMatchObject(NOT_PROVEN);
      expect(await auditOf(one.person, audited)).toEqual(before);
    });
  });

  describe('that a region in the wrong hands sends for its own user', () => {
    const sends = ({ subject, request }: Prepared['sent'], statement: string | undefined) =>
      onBehalfOf(statement === undefined ? {} : { statement }, () => stolen.request(subject as never, { region: 'eu' }, request as never));

    it.each(NAMES)('%s: not without a statement, nor with one over something else, of somebody else or of another time', async (name) => {
      const one = await withDevice(ELSEWHERE);
      const { sent, audited } = await ACTS[name]!(one);
      const before = await auditOf(one.person, audited);
      const [early, another] = [new Device(() => new Date(world.now.getTime() - 61_000)), new Device(() => world.now)];

      for (const statement of [
        undefined,
        '',
        one.device.states({ ...sent.act, act: 'approve_challenge' }),
        one.device.states({ ...sent.act, on: 'conn_other' }),
        one.device.states({ ...sent.act, body: { ...sent.act.body, drop: ['name'] } }),
        another.states(sent.act),
        early.states(sent.act),
        `${one.device.states(sent.act)}x`,
      ])
        await expect(sends(sent, statement)).rejects.toMatchObject(NOT_PROVEN);
      const old = one.device.states(sent.act);
      await world.passes({ seconds: 61 });
      await expect(sends(sent, old)).rejects.toMatchObject(NOT_PROVEN);
      expect(await auditOf(one.person, audited)).toEqual(before);
    });

    it.each(NAMES)('%s: once by one statement, however often it is sent', async (name) => {
      const one = await withDevice(ELSEWHERE);
      const { sent, audited } = await ACTS[name]!(one);
      const before = await auditOf(one.person, audited);
      const statement = one.device.states(sent.act);

      await sends(sent, statement);
      await sends(sent, statement).catch((error: unknown) => error);

      expect(await auditOf(one.person, audited)).toEqual([...before, { object: expect.any(String), statement }]);
    });

    it('are stored once by one statement that comes several times at once, or again after another act', async () => {
      const one = await withDevice(ELSEWHERE);
      const { sent } = await ACTS['change_customer_connection']!(one);
      const statement = one.device.states(sent.act);
      const at = (ms: number) => ({ ...sent, request: { ...sent.request, at: new Date(world.now.getTime() + ms).toISOString() } });

      await Promise.allSettled([1, 2, 3, 4, 5].map((ms) => sends(at(ms), statement)));
      await world.passes({ seconds: 1 });
      await one.person.connections.drops(one.connection, 'mail');
      await expect(sends(at(5000), statement)).rejects.toMatchObject({ ...NOT_PROVEN, message: expect.stringMatching(/with this jti/) });

      const acts = (await auditOf(one.person, 'connection.changed')).map((row) => decodeJwt(row.statement!)['digest']);
      expect(acts).toHaveLength(2);
    });

    it('do not connect to another service than the one whose code or request the device has signed', async () => {
      const one = await withDevice(ELSEWHERE);
      const { sent } = await ACTS['connect']!(one);
      const { request_id } = await world.shop.invites(one.person, 'Come back');
      const connects = (by: object, act: PersonAct) =>
        sends({ ...sent, request: { ...sent.request, by } }, one.device.states({ ...act, body: { ...sent.act.body, ...act.body } }));
      const code = 'BOLT/SHOP';
      const { code: _, ...body } = sent.act.body;

      await expect(connects({ company_code: 'BOLT' }, { act: 'connect', on: code, body: { code } })).rejects.toMatchObject({
        key: 'company_connections.service_not_found',
      });
      const other = { act: 'accept_connect_request', on: 'creq_other', body };
      await expect(
        sends({ ...sent, request: { ...sent.request, by: { request_id: other.on } } }, one.device.states(other)),
      ).rejects.toMatchObject({
        key: 'company_connections.request_not_found',
      });

      const accepted = { ...other, on: request_id };
      await sends({ ...sent, request: { ...sent.request, by: { request_id } } }, one.device.states(accepted));
      expect(decodeJwt((await auditOf(one.person, 'connection.created')).at(-1)!.statement!)).toMatchObject({ on: request_id });
    });

    it('are refused when an answer names a file that is not the one the device has uploaded', async () => {
      const { person, connection, device } = await withDevice(ELSEWHERE);
      const run = await world.shop.flows.starts(flow, { target: { connection_id: connection.id } });
      const attached = await person.flows.attaches(connection, run, 'scan', 'x'.repeat(2_000_000));
      const body = { answers: [attached], next_node: 'price' };
      const turn = { ...body, answers: [{ ...attached, source_private: false, verification: {} }] };
      const act = { act: 'answer_customer_run', on: run.id, body };
      const request = { user_id: person.user_id, connection_id: connection.id, run_id: run.id, turn };
      const { files, ...claims } = decodeJwt(device.states(act));

      for (const others of [{}, { files: statedDigest({}) }, { files: `${String(files)}x` }])
        await expect(
          sends({ subject: RUN_SUBJECTS.answer, request, act }, device.signs('codase-act+jwt', { ...claims, ...others })),
        ).rejects.toMatchObject({ ...NOT_PROVEN, message: expect.stringMatching(/files/) });

      await person.flows.answers(connection, run, {}, { next_node: 'price' }, [attached]);
      expect(decodeJwt((await auditOf(person, 'flow_run.answered')).at(-1)!.statement!)).toMatchObject({ on: run.id, files });
    });

    it('are stored by the same statement after an attempt that failed', async () => {
      const one = await withDevice(ELSEWHERE);
      const { sent, audited } = await ACTS['write_message']!(one);
      const statement = one.device.states(sent.act);

      await inOwnTransaction(db, async (tx) => {
        await many(tx, sql`select from connection where connection_id = ${one.connection.id} for update`);
        await expect(sends(sent, statement)).rejects.toMatchObject({ key: 'service.unavailable' });
      });
      await sends(sent, statement);

      expect(await auditOf(one.person, audited)).toEqual([{ object: expect.any(String), statement }]);
      await expect(sends(sent, statement)).resolves.toMatchObject({ connection_id: one.connection.id });
    });
  });
});
