import { FeedEvent, type Connection, type Sealed } from '@codase/contracts';
import { departure, differences } from './differences.ts';
import { changesOf, knownOf, knownSlot, type KnownPerson } from './known-state.ts';

const AT = '2026-03-02T10:00:00.000Z';
const LATER = '2026-03-02T11:00:00.000Z';
const LATEST = '2026-03-02T12:00:00.000Z';
const sealed = (text: string) => JSON.stringify({ k: 'k', iv: 'iv', d: text }) as Sealed;
const value = (text: string, updated_at = AT) => ({ value: sealed(text), live: true, updated_at });
const file = (updated_at: string) => ({ value_url: '/photo', live: false, updated_at });
const PROOF = { verified_hash: 'a'.repeat(64), verified_at: LATER };
const connection = (values: Connection['values']): Connection => ({
  id: 'conn_1',
  person_id: 'usr_1',
  display_name: 'Ana',
  connected_at: AT,
  customer_type: 'person',
  share_code: 'ANA',
  values,
  values_private: {},
});
const run = { run: 2, now: new Date(LATEST), drained_at: new Date(LATEST) };
const every = { id: 'evt_1', person_user_id: 'usr_1', share_code: null, at: AT };
const updated = (slug: string, content: object, at = AT) =>
  FeedEvent.parse({ event: 'field_updated', ...every, at, slug, live: true, ...content });
const created = FeedEvent.parse({ event: 'connection_created', ...every, customer_type: 'company' });
const consented = (slug: string) => FeedEvent.parse({ event: 'consent_accepted', ...every, slug });
/** What is known of the person from these events alone. */
const knownBy = (...events: FeedEvent[]) => changesOf(events)[0] as KnownPerson;

const found = (now: Connection, known?: KnownPerson, drained_at: Date | null = run.drained_at) =>
  differences(now, known, { ...run, drained_at }).map(({ event, isLost }) => [
    event.event,
    'slug' in event ? event.slug : null,
    isLost ? 'lost' : 'unsure',
  ]);

describe('comparison of a connection with its stored state', () => {
  it('finds nothing when nothing changed', () => {
    const now = connection({ city: value('Lund'), photo: file(AT), mail: { ...value('a'), ...PROOF } });

    expect(found(now, knownOf(now))).toEqual([]);
  });

  it('finds slots that were changed, added or removed', () => {
    const known = knownOf(connection({ city: value('Lund'), phone: value('1'), mail: value('a') }));

    expect(found(connection({ city: value('Malmö'), mail: value('a'), name: value('Ana') }), known)).toEqual([
      ['field_updated', 'city', 'lost'],
      ['field_updated', 'name', 'lost'],
      ['field_deleted', 'phone', 'lost'],
    ]);
  });

  it('finds a file that was replaced under the same URL @spec D1-2.8', () => {
    expect(found(connection({ photo: file(LATER) }), knownOf(connection({ photo: file(AT) })))).toEqual([
      ['field_updated', 'photo', 'lost'],
    ]);
  });

  it('finds values that became verified or lost their verification @spec D1-6.1', () => {
    const [bare, verified] = [connection({ city: value('Lund') }), connection({ city: { ...value('Lund'), ...PROOF } })];

    expect(found(verified, knownOf(bare))).toEqual([['field_updated', 'city', 'lost']]);
    expect(found(bare, knownOf(verified))).toEqual([['field_updated', 'city', 'lost']]);
  });

  it('finds a new connection with its slots', () => {
    expect(found(connection({ photo: file(AT) }))).toEqual([
      ['connection_created', null, 'lost'],
      ['field_updated', 'photo', 'lost'],
    ]);
  });

  it('gives the same finding the same id within a run, and another id in another run', () => {
    const ids = (nth: number) =>
      differences(connection({ city: value('Lund') }), undefined, { ...run, run: nth }).map(({ event }) => event.id);

    expect(ids(2)).toEqual(ids(2));
    expect(ids(3)).not.toEqual(ids(2));
    expect(new Set(ids(2)).size).toBe(2);
  });

  it('reports a person whose connection is gone as connection_deleted', () => {
    expect(departure(knownOf(connection({})), run)).toMatchObject({
      event: 'connection_deleted',
      person_user_id: 'usr_1',
      share_code: 'ANA',
      at: LATEST,
    });
  });

  it('handles a slot that has the name of a built-in object member', () => {
    const known = knownOf(connection({}));

    expect(found(connection({ constructor: value('x') }), known)).toEqual([['field_updated', 'constructor', 'lost']]);
  });
});

describe('comparison of a connection with its past events', () => {
  const city = { value: sealed('Lund') };

  it('finds nothing when the last event has the current value', () => {
    expect(found(connection({ city: value('Lund') }), knownBy(updated('city', city)))).toEqual([]);
  });

  it('finds a value that differs from the last event', () => {
    expect(found(connection({ city: value('Malmö', LATER) }), knownBy(updated('city', city)))).toEqual([['field_updated', 'city', 'lost']]);
  });

  it('is unsure of what events do not contain: the content of a file, and verification', () => {
    const photo = { value_url: '/photo', live: false };

    expect(found(connection({ photo: file(LATER) }), knownBy(updated('photo', photo)))).toEqual([['field_updated', 'photo', 'unsure']]);
    expect(found(connection({ city: { ...value('Lund'), ...PROOF } }), knownBy(updated('city', city)))).toEqual([
      ['field_updated', 'city', 'unsure'],
    ]);
  });

  it('is unsure of values shared with the connection or by consent, which no event contains @spec D1-6.1', () => {
    const now = connection({ city: value('Lund'), phone: value('1') });

    expect(found(now, knownBy(created))).toEqual([
      ['field_updated', 'city', 'unsure'],
      ['field_updated', 'phone', 'unsure'],
    ]);
    expect(found(connection({ city: value('Lund') }), { ...knownBy(consented('city')), listed: true })).toEqual([
      ['field_updated', 'city', 'unsure'],
    ]);
  });

  it('is unsure of changes after the last drain began, whose events are still to come', () => {
    const known = knownOf(connection({ city: value('Lund') }));

    expect(found(connection({ city: value('Malmö', LATER) }), known, new Date(AT))).toEqual([['field_updated', 'city', 'unsure']]);
    expect(found(connection({}), undefined, new Date(AT))).toEqual([['connection_created', null, 'unsure']]);
  });
});

describe('summary of the events of a person', () => {
  const text = (slug: string, said: string) => updated(slug, { value: sealed(said) });
  const deleted = FeedEvent.parse({ event: 'connection_deleted', ...every, customer_type: 'company' });
  const cleared = FeedEvent.parse({ event: 'field_deleted', ...every, slug: 'city' });

  it('has the last state of each slot', () => {
    const [change] = changesOf([text('city', 'Lund'), text('city', 'Malmö'), text('phone', '1'), consented('mail'), cleared]);

    const phone = knownSlot({ live: true, value: sealed('1'), at: AT });
    expect(change).toMatchObject({ anew: false, gone: false, listed: false, slots: { city: null, phone, mail: {} } });
  });

  it('starts with empty slots at connection_created, and is marked gone at connection_deleted', () => {
    expect(changesOf([text('city', 'Lund'), created])[0]).toMatchObject({ anew: true, gone: false, slots: {}, customer_type: 'company' });
    expect(changesOf([created, deleted])[0]).toMatchObject({ anew: true, gone: true, slots: {} });
    expect(changesOf([deleted, created])[0]).toMatchObject({ anew: true, gone: false });
  });

  it('is empty when no event changes a slot or connection', () => {
    expect(changesOf([FeedEvent.parse({ event: 'flow_completed', ...every, flow_run_id: 'run_1' })])).toEqual([]);
  });
});
