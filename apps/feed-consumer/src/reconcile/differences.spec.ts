import { FeedEvent, type Connection, type Sealed } from '@cds/contracts';
import { departure, differences } from './differences.ts';
import { changesOf, knownOf, slotDigest, type KnownPerson } from './known.ts';

const AT = '2026-03-02T10:00:00.000Z';
const sealed = (text: string) => JSON.stringify({ k: 'k', iv: 'iv', d: text }) as Sealed;
const value = (text: string) => ({ value: sealed(text), live: true, updated_at: AT });
const connection = (values: Connection['values']): Connection => ({
  id: 'conn_1', person_id: 'usr_1', display_name: 'Ana', connected_at: AT, customer_type: 'person', share_code: 'ANA', values,
  values_private: {},
});
const run = { run: 2, now: new Date(AT) };
const found = (now: Connection, known?: KnownPerson) =>
  differences(now, known, run).map((event) => [event.event, 'slug' in event ? event.slug : null]);

describe('comparing a connection with what is known of it', () => {
  it('finds nothing where nothing changed', () => {
    const now = connection({ city: value('Lund') });

    expect(found(now, knownOf(now))).toEqual([]);
  });

  it('finds what changed, came and went', () => {
    const known = knownOf(connection({ city: value('Lund'), phone: value('1'), mail: value('a') }));

    expect(found(connection({ city: value('Malmö'), mail: value('a'), name: value('Ana') }), known)).toEqual([
      ['field_updated', 'city'], ['field_updated', 'name'], ['field_deleted', 'phone'],
    ]);
  });

  it('finds a whole connection that is new', () => {
    const photo = { value_url: '/photo', live: false, updated_at: AT };

    expect(found(connection({ photo }))).toEqual([['connection_created', null], ['field_updated', 'photo']]);
  });

  it('gives the same finding the same id, and another run another', () => {
    const ids = (nth: number) => differences(connection({ city: value('Lund') }), undefined, { ...run, run: nth }).map(({ id }) => id);

    expect(ids(2)).toEqual(ids(2));
    expect(ids(3)).not.toEqual(ids(2));
    expect(new Set(ids(2)).size).toBe(2);
  });

  it('tells of a person who is gone', () => {
    expect(departure(knownOf(connection({})), run)).toMatchObject({ event: 'connection_deleted', person_user_id: 'usr_1', share_code: 'ANA', at: AT });
  });

  it('is not misled by a slot with the name of a member every object has', () => {
    const known = knownOf(connection({}));

    expect(found(connection({ constructor: value('x') }), known)).toEqual([['field_updated', 'constructor']]);
  });
});

describe('what events say of a person, taken together', () => {
  const every = { id: 'evt_1', person_user_id: 'usr_1', share_code: null, at: AT };
  const updated = (slug: string, text: string) => FeedEvent.parse({ event: 'field_updated', ...every, slug, live: true, value: sealed(text) });
  const created = FeedEvent.parse({ event: 'connection_created', ...every, customer_type: 'company' });
  const deleted = FeedEvent.parse({ event: 'connection_deleted', ...every, customer_type: 'company' });
  const cleared = FeedEvent.parse({ event: 'field_deleted', ...every, slug: 'city' });

  it('is the last that was said of each slot', () => {
    const [change] = changesOf([updated('city', 'Lund'), updated('city', 'Malmö'), updated('phone', '1'), cleared]);

    expect(change).toMatchObject({ anew: false, gone: false, slots: { city: null, phone: slotDigest(value('1')) } });
  });

  it('begins anew with a connection and ends with it', () => {
    expect(changesOf([updated('city', 'Lund'), created])[0]).toMatchObject({ anew: true, gone: false, slots: {}, customer_type: 'company' });
    expect(changesOf([created, deleted])[0]).toMatchObject({ anew: true, gone: true, slots: {} });
    expect(changesOf([deleted, created])[0]).toMatchObject({ anew: true, gone: false });
  });

  it('is nothing where an event tells of something else', () => {
    expect(changesOf([FeedEvent.parse({ event: 'flow_completed', ...every, flow_run_id: 'run_1' })])).toEqual([]);
  });
});
