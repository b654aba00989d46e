import { eventLine } from './event-line.ts';

const ANA = { person_user_id: 'usr_1', share_code: 'ANA', at: '2026-01-31T12:34:56.789Z' };
const EVENT = { id: 'evt_1', event: 'field_updated', ...ANA, slug: 'email', live: true, value: 'x'.repeat(40) };

describe('an event in a line', () => {
  it('says when, what, who and which field, and nothing of a sealed value but its size', () => {
    expect(eventLine(EVENT)).toBe('12:34:56.789  field_updated  ANA  email  live true  (sealed, 40 characters)');
  });

  it('shows the value where it was opened', () => {
    expect(eventLine(EVENT, { value: 'ana@lind.example' })).toMatch(/email {2}live true {2}"ana@lind.example"$/);
  });

  it('names who has no share code by id, and tells members of kinds it does not know', () => {
    const later = { id: 'evt_2', event: 'moon_landed', ...ANA, share_code: null, crater: 7 };
    expect(eventLine(later)).toBe('12:34:56.789  moon_landed  usr_1  crater 7');
  });
});
