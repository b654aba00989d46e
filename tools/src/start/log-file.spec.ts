import { appendFileSync, closeSync, mkdtempSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boundLog, lastLines, openLog, sizeOf } from './log-file.ts';

describe('the log of a service', () => {
  let dir: string;
  let log: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'codase-log-'));
    log = join(dir, 'x.log');
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  it('stays bounded while its writer goes on', () => {
    const writer = openLog(log);
    writeSync(writer, 'old line\n'.repeat(100));
    boundLog(log, 500);
    writeSync(writer, 'new line\n');
    closeSync(writer);

    expect(readFileSync(log, 'utf8')).toBe('new line\n');
    expect(sizeOf(`${log}.1`)).toBe(900);
  });

  it('is left alone while it is small', () => {
    appendFileSync(log, 'a line\n');
    boundLog(log, 500);
    expect(sizeOf(log)).toBe(7);
    expect(sizeOf(`${log}.1`)).toBe(0);
  });

  it('gives its last lines, none of an earlier life and none too long', () => {
    appendFileSync(log, 'of an earlier life\n');
    const start = sizeOf(log);
    appendFileSync(log, `first\n\nsecond\n${'x'.repeat(1000)}\n`);

    expect(lastLines(log, 15, start)).toEqual(['first', 'second', `${'x'.repeat(399)}…`]);
    expect(lastLines(log, 2, start)[0]).toBe('second');
  });

  it('gives what there is after it was cut', () => {
    appendFileSync(log, 'short\n');
    expect(lastLines(log, 15, 1_000_000)).toEqual(['short']);
  });
});
