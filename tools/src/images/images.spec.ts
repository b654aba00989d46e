import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inTempTree } from '@codase/testing/temp-tree';
import { imageApps, packagesBeside, partsOf, readParts, type Parts } from './bundle-parts.ts';
import { writeImageFolder } from './image-folder.ts';
import { imageProblems } from './image-problems.ts';

const file = (inputs: string[], imports: string[] = []) => ({
  bytes: 4,
  inputs: Object.fromEntries(inputs.map((input) => [input, {}])),
  imports: imports.map((path) => ({ path })),
});

const PARTS: Parts = {
  entryPoints: {
    telemetry: 'libs/runtime/dist/telemetry/register.js',
    cli: 'apps/cli/dist/main.js',
    decryptor: 'apps/decryptor/dist/main.js',
    shop: 'apps/shop/dist/main.js',
    'shop-migrate': 'apps/shop/dist/migrate.js',
    prepare: 'apps/shop/dist/prepare/main.js',
    'price-thread.worker': 'apps/shop/dist/prices/price-thread.worker.js',
  },
  outputs: {
    'bundle/telemetry.mjs': file(['libs/runtime/dist/telemetry/register.js'], ['bundle/chunk-1.mjs']),
    'bundle/cli.mjs': file(['apps/cli/dist/main.js']),
    'bundle/decryptor.mjs': file(['apps/decryptor/dist/main.js'], ['bundle/chunk-1.mjs']),
    'bundle/shop.mjs': file(['apps/shop/dist/main.js'], ['bundle/chunk-2.mjs']),
    'bundle/shop.mjs.map': file([]),
    'bundle/shop-migrate.mjs': file(['apps/shop/dist/migrate.js'], ['bundle/chunk-2.mjs']),
    'bundle/prepare.mjs': file(['apps/shop/dist/prepare/main.js']),
    'bundle/price-thread.worker.mjs': file(['apps/shop/dist/prices/price-thread.worker.js']),
    'bundle/chunk-1.mjs': file(['node_modules/zod/index.js']),
    'bundle/chunk-2.mjs': file(['libs/runtime/dist/db/pool.js', 'node_modules/zod/node_modules/@x/inner/a.js'], ['pg']),
  },
};
const package_ = (name: string, more = {}) => JSON.stringify({ name, version: '1.2.3', license: 'MIT', ...more });
const TREE = {
  ...Object.fromEntries(Object.keys(PARTS.outputs).map((path) => [path, '1234'])),
  'bundle/parts.json': JSON.stringify(PARTS),
  'libs/runtime/dist/db/pool.js': "const pg = createRequire(import.meta.url)('pg');",
  'package.json': package_('root'),
  'node_modules/zod/package.json': package_('zod'),
  'node_modules/zod/node_modules/@x/inner/package.json': package_('@x/inner', { license: 'ISC' }),
  'node_modules/pg/package.json': package_('pg', { dependencies: { 'pg-pool': '*' } }),
  'node_modules/pg/lib/index.js': '',
  'node_modules/pg/README.md': '',
  'node_modules/pg-pool/package.json': package_('pg-pool'),
};

describe('the image of an app', () => {
  it('is built for each app that runs as a service', () => {
    expect(imageApps(PARTS)).toEqual(['decryptor', 'shop']);
  });

  it('contains the programs of the app by name, and the files that they load', () => {
    const { programs, files } = partsOf(PARTS, 'shop');

    expect(programs).toEqual({ main: 'bundle/shop.mjs', migrate: 'bundle/shop-migrate.mjs', prepare: 'bundle/prepare.mjs' });
    expect(files.map((path) => path.slice('bundle/'.length)).toSorted()).toEqual([
      'chunk-1.mjs',
      'chunk-2.mjs',
      'prepare.mjs',
      'price-thread.worker.mjs',
      'shop-migrate.mjs',
      'shop.mjs',
      'shop.mjs.map',
      'telemetry.mjs',
    ]);
  });

  it('contains the program that one of its libraries starts, and the packages of that program', () => {
    const outputs = {
      ...PARTS.outputs,
      'bundle/shop.mjs': file(['apps/shop/dist/main.js', 'libs/pdf/dist/pdf-process.js']),
      'bundle/pdf-process-child.mjs': file(['libs/pdf/dist/pdf-process-child.js'], ['harfbuzzjs', 'node:fs']),
    };
    const parts = { ...PARTS, packages: ['pg', 'harfbuzzjs'], outputs };

    expect(partsOf(parts, 'shop').files).toContain('bundle/pdf-process-child.mjs');
    expect(partsOf(parts, 'shop').packages).toEqual(['pg', 'harfbuzzjs']);
    expect(partsOf(parts, 'decryptor')).toMatchObject({ packages: [] });
  });

  it('contains the packages that are not bundled, and an SBOM of everything in it', () =>
    inTempTree(TREE, (dir) => {
      const out = join(dir, 'out');
      mkdirSync(out);
      writeImageFolder(dir, 'shop', out);

      expect(readFileSync(join(out, 'main.js'), 'utf8')).toBe("import './shop.mjs';\n");
      expect(
        ['node_modules/pg/lib/index.js', 'node_modules/pg-pool', 'node_modules/pg/README.md'].map((at) => existsSync(join(out, at))),
      ).toEqual([true, true, false]);
      const { components } = JSON.parse(readFileSync(join(out, 'sbom.cdx.json'), 'utf8')) as { components: { purl: string }[] };
      expect(components.map(({ purl }) => purl)).toEqual([
        'pkg:npm/%40x/inner@1.2.3',
        'pkg:npm/pg-pool@1.2.3',
        'pkg:npm/pg@1.2.3',
        'pkg:npm/zod@1.2.3',
      ]);
    }));

  it('is refused when it exceeds its size budget or has none', () =>
    inTempTree(TREE, (dir) => {
      expect(imageProblems(dir, PARTS, { decryptor: 1, shop: 0.00001 })).toEqual([expect.stringMatching(/^The image of shop has .* MB/)]);
      expect(imageProblems(dir, PARTS, { shop: 1 })).toEqual([expect.stringContaining('decryptor has no budget')]);
    }));

  it('is refused when it contains a database driver beside private keys', () =>
    inTempTree(TREE, (dir) => {
      const outputs = { ...PARTS.outputs, 'bundle/decryptor.mjs': file([], ['bundle/chunk-2.mjs']) };

      expect(imageProblems(dir, { ...PARTS, outputs }, { decryptor: 1, shop: 1 })).toEqual([
        expect.stringContaining('The image of decryptor has the package pg,'),
        expect.stringContaining('The image of decryptor has the package pg-pool,'),
      ]);
    }));
});

describe('the images of this build', () => {
  it('stay within their budgets, and the decryptor has no database driver', () => {
    const parts = readParts(process.cwd());

    expect(imageProblems(process.cwd(), parts)).toEqual([]);
    expect(packagesBeside(process.cwd(), partsOf(parts, 'platform'))).toEqual([
      '@embedpdf/fonts-arabic',
      '@embedpdf/fonts-hebrew',
      '@embedpdf/fonts-latin',
      '@fontsource/unifont',
      'fontverter',
      'harfbuzzjs',
      'pg',
      'subset-font',
      'swagger-ui-dist',
    ]);
    expect(partsOf(parts, 'platform').files).toContain('bundle/pdf-process-child.mjs');
    expect(partsOf(parts, 'gateway').files).not.toContain('bundle/pdf-process-child.mjs');
  });

  it('pass the version to services in the variable that telemetry reads', () => {
    const [, variable] = /'service\.version': process\.env\['(\w+)'\]/.exec(readFileSync('libs/runtime/src/telemetry/sdk.ts', 'utf8'))!;

    expect(readFileSync('deploy/images/Containerfile', 'utf8')).toContain(`${variable}=\${VERSION}`);
  });
});
