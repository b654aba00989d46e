import { appendFileSync, closeSync, mkdtempSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boundLog, lastLines, openLog, sizeOf } from './log-file.ts';

describe('the log file of a service', () => {
  let dir: string;
  let log: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'codase-log-'));
    log = join(dir, 'x.log');
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  it('is rotated at its size limit while the service keeps writing', () => {
    const writer = openLog(log);
    writeSync(writer, 'old line\n'.repeat(100));
    boundLog(log, 500);
    writeSync(writer, 'new line\n');
    closeSync(writer);

    expect(readFileSync(log, 'utf8')).toBe('new line\n');
    expect(sizeOf(`${log}.1`)).toBe(900);
  });

  it('is not rotated while it is small', () => {
    appendFileSync(log, 'a line\n');
    boundLog(log, 500);
    expect(sizeOf(log)).toBe(7);
    expect(sizeOf(`${log}.1`)).toBe(0);
  });

  it('returns its last lines since the start of the service, shortened when too long', () => {
    appendFileSync(log, 'of an earlier life\n');
    const start = sizeOf(log);
    appendFileSync(log, `first\n\nsecond\n${'x'.repeat(1000)}\n`);

    expect(lastLines(log, 15, start)).toEqual(['first', 'second', `${'x'.repeat(399)}…`]);
    expect(lastLines(log, 2, start)[0]).toBe('second');
  });

  it('returns the lines it has when it was rotated since the start of the service', () => {
    appendFileSync(log, 'short\n');
    expect(lastLines(log, 15, 1_000_000)).toEqual(['short']);
  });
});
