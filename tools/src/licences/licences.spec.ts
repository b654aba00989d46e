import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installedPackages, isAllowed, licenceProblems, LICENCES_FILE, licencesText } from './licences.ts';

describe('the licence check', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'codase-licences-'));
    mkdirSync(join(root, 'docs'));
  });
  afterEach(() => rmSync(root, { recursive: true }));
  const locks = (packages: Record<string, object>) => writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages }));
  const writes = () => writeFileSync(join(root, LICENCES_FILE), licencesText(installedPackages(root)));

  it('lists licences by name, without our own packages and without tools', () => {
    locks({
      '': {},
      'node_modules/@codase/x': { link: true },
      'node_modules/good': { version: '1.0.0', license: 'MIT' },
      'node_modules/good/node_modules/inner': { version: '2.0.0', license: 'ISC' },
      'node_modules/tool': { version: '3.0.0', license: 'CC-BY-4.0', dev: true },
    });
    writes();

    expect(licenceProblems(root)).toEqual([]);
    expect(licencesText(installedPackages(root))).toContain('## ISC\n\n- inner 2.0.0\n\n## MIT\n\n- good 1.0.0\n');
    expect(licencesText(installedPackages(root))).not.toContain('tool');
  });

  it.each([
    ['GPL-3.0', {}],
    ['CC-BY-4.0', {}],
    [undefined, {}],
    ['AGPL-3.0', { dev: true }],
  ])('refuses the licence %s of a package with %j', (license, more) => {
    locks({ 'node_modules/bad': { version: '1.0.0', license, ...more } });
    writes();

    expect(licenceProblems(root)).toEqual([expect.stringContaining('bad@1.0.0 has the licence')]);
  });

  it('requires an up-to-date list of licences', () => {
    locks({ 'node_modules/good': { version: '1.0.0', license: 'MIT' } });

    expect(licenceProblems(root)).toEqual(['docs/licences.md is not current: npm run licences -- --write']);
  });

  it.each([
    ['(MIT OR GPL-3.0)', true],
    ['MIT AND GPL-3.0', false],
    ['MIT AND ISC', true],
  ])('evaluates the expression %s: allowed is %s', (licence, verdict) => {
    expect(isAllowed(licence, new Set(['MIT', 'ISC']))).toBe(verdict);
  });
});
