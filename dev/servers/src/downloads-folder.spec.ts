import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { downloadsFolder } from './downloads-folder.ts';

describe('downloaded programs', () => {
  const home = mkdtempSync(join(tmpdir(), 'home-'));
  afterAll(() => rmSync(home, { recursive: true }));

  it("are stored in the user's cache folder, shared by all clones", () => {
    const folder = downloadsFolder('/clone', {}, home);
    expect(folder).toBe(join(home, '.cache/company-data-service'));
    expect(existsSync(folder)).toBe(true);
    expect(downloadsFolder('/clone', { XDG_CACHE_HOME: join(home, 'own') }, home)).toBe(join(home, 'own/company-data-service'));
  });

  it("are stored in the clone when the user's cache folder cannot be created", () => {
    writeFileSync(join(home, 'file'), '');
    expect(downloadsFolder('/clone', {}, join(home, 'file'))).toBe('/clone/.cache');
  });

  it('are stored in the home folder when XDG_CACHE_HOME is not an absolute path', () => {
    expect(downloadsFolder('/clone', { XDG_CACHE_HOME: 'relative' }, home)).toBe(join(home, '.cache/company-data-service'));
  });
});
