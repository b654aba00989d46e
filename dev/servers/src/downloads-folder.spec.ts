import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { downloadsFolder } from './downloads-folder.ts';

describe('Downloaded programs', () => {
  const home = mkdtempSync(join(tmpdir(), 'home-'));
  afterAll(() => rmSync(home, { recursive: true }));

  it('are kept for all clones of a user', () => {
    const folder = downloadsFolder('/clone', {}, home);
    expect(folder).toBe(join(home, '.cache/company-data-service'));
    expect(existsSync(folder)).toBe(true);
    expect(downloadsFolder('/clone', { XDG_CACHE_HOME: join(home, 'own') }, home)).toBe(join(home, 'own/company-data-service'));
  });

  it('are kept in the clone where the user has no folder for them', () => {
    writeFileSync(join(home, 'file'), '');
    expect(downloadsFolder('/clone', {}, join(home, 'file'))).toBe('/clone/.cache');
  });

  it('are kept in the home folder where the setting names no absolute path', () => {
    expect(downloadsFolder('/clone', { XDG_CACHE_HOME: 'relative' }, home)).toBe(join(home, '.cache/company-data-service'));
  });
});
