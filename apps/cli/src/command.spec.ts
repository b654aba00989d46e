import { UsageFault } from '@codase/command-line';
import { readTime } from './command.ts';

const NOW = new Date('2026-01-31T12:00:00.000Z');

describe('time option', () => {
  it.each([
    ['2026-01-31T11:00:00Z', '2026-01-31T11:00:00.000Z'],
    ['2026-01-31T12:00:00+02:00', '2026-01-31T10:00:00.000Z'],
    ['90s', '2026-01-31T11:58:30.000Z'],
    ['10m', '2026-01-31T11:50:00.000Z'],
    ['2h', '2026-01-31T10:00:00.000Z'],
    ['7d', '2026-01-24T12:00:00.000Z'],
  ])('reads %s as %s', (text, moment) => {
    expect(readTime('--from', text, NOW).toISOString()).toBe(moment);
  });

  it.each(['yesterday', '10', '10w', ''])("rejects '%s' and gives valid examples", (text) => {
    expect(() => readTime('--from', text, NOW)).toThrow(UsageFault);
    expect(() => readTime('--from', text, NOW)).toThrow('such as 10m or 2h');
  });
});
