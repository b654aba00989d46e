import { eventLine } from './event-line.ts';

const ANA = { person_user_id: 'usr_1', share_code: 'ANA', at: '2026-01-31T12:34:56.789Z' };
const EVENT = { id: 'evt_1', event: 'field_updated', ...ANA, slug: 'email', live: true, value: 'x'.repeat(40) };

describe('eventLine', () => {
  it('prints time, kind, person and field of an event, and only the size of a sealed value', () => {
    expect(eventLine(EVENT)).toBe('12:34:56.789  field_updated  ANA  email  live true  (sealed, 40 characters)');
  });

  it('prints the value when it was decrypted', () => {
    expect(eventLine(EVENT, { value: 'ana@lind.example' })).toMatch(/email {2}live true {2}"ana@lind.example"$/);
  });

  it('prints the user id of a person without a share code, and the members of an unknown event kind', () => {
    const later = { id: 'evt_2', event: 'moon_landed', ...ANA, share_code: null, crater: 7 };
    expect(eventLine(later)).toBe('12:34:56.789  moon_landed  usr_1  crater 7');
  });
});
