import * as contracts from '@codase/contracts';
import { nameOfPeer, Refusal, type PeerSubject } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import { World } from '@codase/testing';

type Request = (user_id: string) => object;

const AT = '2026-03-02T09:30:00.000Z';
const SEALED = Buffer.from(JSON.stringify({ v: 1 })).toString('base64');
const ONE_TIME_KEY = Buffer.alloc(32, 1).toString('base64');
const BOX = Buffer.alloc(64, 1).toString('base64');
const CONTENT = { file: 'file_x', pieces: 1, chars: 1, served_sha256: 'a'.repeat(64) };
const ofUser: Request = (user_id) => ({ user_id });
const ofPerson: Request = (person_user_id) => ({ person_user_id });
const ofConnection: Request = (user_id) => ({ user_id, connection_id: 'con_x' });
const ofRun: Request = (user_id) => ({ ...ofConnection(user_id), run_id: 'run_x' });
const ofDocument: Request = (user_id) => ({ user_id, document_id: 'doc_x' });
const ofField: Request = (user_id) => ({ user_id, field: 'email', at: AT });
const firstPage = { limit: 10, after: null };

/** A request of each subject that speaks for a user. A subject without one fails the test, as the front door's table does. */
const REQUESTS: Readonly<Record<string, Request>> = {
  accept_delegation: (user_id) => ({ user_id, delegation_id: 'dele_x' }),
  act_on_document: (user_id) => ({ ...ofDocument(user_id), act: { kind: 'accept' } }),
  answer_challenge: (person_user_id) => ({ person_user_id, challenge_id: 'chl_x', answer: { kind: 'deny' } }),
  answer_flow_run: (user_id) => ({ ...ofRun(user_id), turn: { answers: [] } }),
  challenge_card: (person_user_id) => ({ person_user_id, challenge_id: 'chl_x' }),
  challenge_cards: ofPerson,
  change: (user_id) => ({ ...ofConnection(user_id), values: [], drop: [], decline: [], at: AT }),
  connect: (user_id) => ({
    company_user_id: 'usr_company',
    service_code: 'SHOP',
    customer: { user_id, type: 'person', display_name: 'Mallory', share_code: 'K7M2QX', public_key: 'x' },
    values: [],
    at: AT,
  }),
  connect_request_code: (person_user_id) => ({ person_user_id, request_id: 'creq_x' }),
  connect_requests: ofPerson,
  connection_photo_piece: (user_id) => ({ ...ofConnection(user_id), position: 1 }),
  delegate_names: (company_user_id) => ({ company_user_id, user_ids: ['usr_x'] }),
  delegations: ofUser,
  disconnect: ofConnection,
  document_piece: (user_id) => ({ ...ofDocument(user_id), position: 1 }),
  document_positions: (user_id) => ({ user_id, ...firstPage, connection_id: null, status: null }),
  enrolments: ofPerson,
  flow_run_file: (user_id) => ({ ...ofRun(user_id), file: 'file_x' }),
  flow_run_image: (user_id) => ({ ...ofRun(user_id), asset_key: 'asset_x', position: 1 }),
  flow_run_pass: ofRun,
  flow_run_piece: (user_id) => ({ ...ofRun(user_id), file: 'file_x', position: 1 }),
  follow: (user_id) => ({ ...ofField(user_id), is_private: false, copies: [] }),
  forget: ofField,
  generate_run_documents: (user_id) => ({ ...ofRun(user_id), generation: { otk: ONE_TIME_KEY, values: BOX } }),
  leave_delegation: (user_id) => ({ user_id, delegation_id: 'dele_x' }),
  list_flow_runs: (user_id) => ({ ...ofConnection(user_id), ...firstPage, status: null }),
  list_messages: (user_id) => ({ ...ofConnection(user_id), ...firstPage }),
  note_asking_company: (company_user_id) => ({ company_user_id, person_user_id: 'usr_x' }),
  note_delegating: (company_user_id) => ({ company_user_id, user_id: 'usr_x' }),
  places: (user_id) => ({ user_id, ...firstPage }),
  read: ofConnection,
  read_delegated_key: (user_id) => ({ user_id, delegation_id: 'dele_x', service_id: 'ser_x' }),
  read_document: ofDocument,
  read_flow_run: ofRun,
  read_linked_field: (company_user_id) => ({ company_user_id, user_id: 'usr_x', field: 'email', position: 1 }),
  read_messages: (user_id) => ({ ...ofConnection(user_id), message_id: 'msg_x' }),
  reject_connect_request: (person_user_id) => ({ person_user_id, request_id: 'creq_x' }),
  revoke_enrolment: (person_user_id) => ({ person_user_id, service_id: 'ser_x' }),
  slots: ofField,
  store_generation_input: (user_id) => ({ ...ofRun(user_id), source_key: 'conn:customer:passport', content: CONTENT }),
  store_run_file: (user_id) => ({ ...ofRun(user_id), slug: 'passport', for_user_id: user_id, content: CONTENT }),
  take_rows: (user_id) => ({ user_id, turn: 1, table: 'profile', rows: '[]' }),
  unread_messages: ofUser,
  verify: (user_id) => ({ ...ofField(user_id), verification: {} }),
  write_message: (user_id) => ({ ...ofConnection(user_id), body: SEALED }),
};

const isPeer = (value: unknown): value is PeerSubject => String((value as PeerSubject | null)?.pattern).startsWith('codase.peer.');
const SUBJECTS = Object.values<unknown>(contracts)
  .flatMap((value) => [value, ...Object.values(value ?? {})])
  .filter(isPeer)
  .filter(({ speaksFor }) => typeof speaksFor === 'string');
const NAMES = [...new Set(SUBJECTS.map(nameOfPeer))].toSorted();

describe('the stolen bus user of a region', () => {
  let world: World;
  let stolen: Bus;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    stolen = await world.busAs('platform-region-eu');
  });
  afterAll(() => world?.close());

  const send = async (name: string, request: object, by = stolen) => {
    const answer = await by.connection.request(`codase.peer.v1.us.${name}`, JSON.stringify(request), { timeout: 5000 });
    return answer.json<object>();
  };
  const outcome = async (name: string, user_id: string, by = stolen) =>
    Refusal.fromBody(await send(name, REQUESTS[name]!(user_id), by))?.key ?? 'answered';

  it('is tried with every subject that speaks for a user', () => {
    expect(Object.keys(REQUESTS)).toEqual(NAMES);
  });

  it.each(NAMES)('cannot send %s for a user of another region', async (name) => {
    expect(await outcome(name, world.bolt.user_id)).toBe('service.unavailable');
  });

  it.each(NAMES)('is answered %s for a user of its own region', async (name) => {
    expect(await outcome(name, world.acme.user_id)).not.toMatch(/^(service\.unavailable|request\.invalid)$/);
  });

  it('is all that speaks for its users: an operator sends none of these requests, for any user', async () => {
    const operator = await world.operator('platform');

    for (const name of NAMES)
      for (const { user_id } of [world.acme, world.bolt])
        expect([name, await outcome(name, user_id, operator)]).toEqual([name, 'service.unavailable']);
  });

  it('cannot send a request for a user of another region in chunks', async () => {
    const text = JSON.stringify(REQUESTS['write_message']!(world.bolt.user_id));
    await send('piece', { transfer_id: 'parcel_x', position: 0, piece: text });

    const answer = await send('open', { transfer_id: 'parcel_x', pieces: 1, operation: 'write_message' });

    expect(Refusal.fromBody(answer)?.key).toBe('service.unavailable');
  });

  it('reads neither names nor values of users who have nothing to do with a company of its region', async () => {
    const company_user_id = world.acme.user_id;
    const person = await world.signsUp({ type: 'person', region: 'us' });
    await person.fields.edits('email', 'person@example.example');
    const field = { user_id: person.user_id, field: 'email', position: 1 };

    expect(await send('delegate_names', { company_user_id, user_ids: [person.user_id] })).toEqual({ names: [] });
    expect(await send('read_linked_field', { company_user_id, ...field })).toBeNull();

    await person.connections.connects('ACME/SHOP', {});
    expect(await send('read_linked_field', { company_user_id, ...field })).toMatchObject({ pieces: 1 });
  });
});
