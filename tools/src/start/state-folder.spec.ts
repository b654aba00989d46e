import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emptyStateFolder, openStateFolder } from './state-folder.ts';

describe('the state folder', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'codase-state-'));
  });
  afterEach(() => rmSync(home, { recursive: true }));

  it('is created when it does not exist, and excluded from git', () => {
    const { dir, logs } = openStateFolder(join(home, 'a/b'));
    expect(existsSync(logs)).toBe(true);
    expect(readFileSync(join(dir, '.gitignore'), 'utf8')).toMatch(/\n\*\n$/);
  });

  it('is reused by a second start', () => {
    const { dir } = openStateFolder(join(home, 'state'));
    writeFileSync(join(dir, 'something'), 'kept');
    expect(openStateFolder(dir).dir).toBe(dir);
    expect(readFileSync(join(dir, 'something'), 'utf8')).toBe('kept');
  });

  it('is never a folder that contains other files', () => {
    writeFileSync(join(home, 'thesis.txt'), 'ten years of work');
    writeFileSync(join(home, '.gitignore'), '*.log\n');

    expect(() => openStateFolder(home)).toThrow(`The state folder ${home} holds other things: point CODASE_STATE_DIR to `);
    expect(readdirSync(home)).toEqual(['.gitignore', 'thesis.txt']);
  });

  it('is emptied, except for the lock of the current process', () => {
    const folder = openStateFolder(join(home, 'state'));
    writeFileSync(folder.lock, 'mine');
    mkdirSync(join(folder.dir, 'postgres/data'), { recursive: true });

    expect(emptyStateFolder(folder).sort()).toEqual(['logs', 'pids', 'postgres']);
    expect(readdirSync(folder.dir).sort()).toEqual(['.gitignore', 'logs', 'pids', 'start.lock']);
  });

  it('cannot be created where a file has its path, and the error says how to fix it', () => {
    writeFileSync(join(home, 'file'), '');
    expect(() => openStateFolder(join(home, 'file/state'))).toThrow(/a file is in its way; move it, or point CODASE_STATE_DIR elsewhere/);
    expect(() => openStateFolder(join(home, 'file'))).toThrow(/a file is in its way/);
  });
});
