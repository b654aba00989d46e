import { describeBehind, readBehind } from './outdated.ts';
import { REASONS } from './reasons.ts';

const entry = (current: string, latest: string, dependent: string) => ({ current, wanted: current, latest, dependent, location: '' });
const REPORT = JSON.stringify({
  nx: entry('23.2.1', '24.0.6', 'root'),
  undici: [entry('7.30.2', '8.12.4', 'runtime'), entry('7.30.2', '8.12.4', 'bench'), entry('8.0.0', '8.12.4', 'e2e')],
  sdk: entry('v0.0.21', '0.0.21', 'root'),
});
const KEEPS_NX = { nx: { keeps: '23.2.1', why: `${'A long reason. '.repeat(9)}End.` } };

describe('packages that are behind', () => {
  it('are listed once for each version, with those of ours that name it', () => {
    expect(readBehind(REPORT)).toEqual([
      { name: 'nx', current: '23.2.1', latest: '24.0.6', dependents: ['root'] },
      { name: 'undici', current: '7.30.2', latest: '8.12.4', dependents: ['bench', 'runtime'] },
      { name: 'undici', current: '8.0.0', latest: '8.12.4', dependents: ['e2e'] },
    ]);
  });

  it('are fine with a reason, in lines of a terminal', () => {
    const { lines, isFine } = describeBehind(readBehind(REPORT).slice(0, 1), KEEPS_NX);

    expect(isFine).toBe(true);
    expect(lines.slice(0, 2)).toEqual(['Behind, with a reason:', '  nx 23.2.1, newest 24.0.6']);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines.slice(2).join(' ').replace(/ +/g, ' ').trim()).toBe(KEEPS_NX.nx.why);
  });

  it('are not fine without a reason, or with one for another version', () => {
    expect(describeBehind(readBehind(REPORT), KEEPS_NX)).toMatchObject({
      isFine: false,
      lines: expect.arrayContaining(['Behind, without a reason:', '  undici 7.30.2, newest 8.12.4', '    in bench, runtime']),
    });
    expect(describeBehind(readBehind(REPORT).slice(0, 1), { nx: { keeps: '23.2.0', why: 'x' } }).isFine).toBe(false);
  });

  it('leave no reason without a package', () => {
    const { lines, isFine } = describeBehind([], KEEPS_NX);
    expect([lines, isFine]).toEqual([['Reasons that keep nothing back: remove them:', '  nx 23.2.1'], false]);
  });

  it('are none when npm names none', () => {
    expect(describeBehind(readBehind(''), {})).toEqual({ lines: ['Every package is at its newest version.'], isFine: true });
  });

  it('have reasons that a terminal shows whole', () => {
    const behind = Object.entries(REASONS).map(([name, { keeps }]) => ({ name, current: keeps, latest: '99.0.0', dependents: ['root'] }));
    const { lines, isFine } = describeBehind(behind, REASONS);
    expect([isFine, lines.filter((line) => line.length > 80)]).toEqual([true, []]);
  });
});
