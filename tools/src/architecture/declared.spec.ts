import { inTempTree } from '@codase/testing/temp-tree';
import { violations } from './violations.ts';

const violationsOf = (files: Record<string, string>) => inTempTree(files, violations);

const MANIFESTS = {
  'package.json': JSON.stringify({ name: 'root', dependencies: { undici: '7' }, devDependencies: { 'fast-check': '4' } }),
  'libs/runtime/package.json': JSON.stringify({
    name: '@codase/runtime',
    dependencies: { pino: '10', '@nats-io/kv': '3', '@codase/contracts': '*' },
  }),
};

describe('the check of declared dependencies', () => {
  it.each([
    ['a package of the registry', "import { request } from 'undici';", 'undici'],
    ['for its types', "import type { Pool } from 'pg';", 'pg'],
    ['by a path inside it', "import { x } from '@nats-io/jetstream/internal';", '@nats-io/jetstream'],
    ['when it is needed', "const { Agent } = await import('undici');", 'undici'],
    ['a library of the repository', "import { field } from '@codase/domain/field-types';", '@codase/domain'],
  ])('reports an undeclared import: %s', async (_, source, name) => {
    const found = await violationsOf({ ...MANIFESTS, 'libs/runtime/src/x.ts': source });

    expect(found).toEqual([`libs/runtime/src/x.ts imports ${name}, which libs/runtime/package.json does not declare.`]);
  });

  it('reports an undeclared import once for each file', async () => {
    const source = "import { request } from 'undici'; import { Agent } from 'undici';";

    expect(await violationsOf({ ...MANIFESTS, 'libs/runtime/src/x.ts': source })).toHaveLength(1);
  });

  it('allows root dev dependencies and the testing library in specs only', async () => {
    const source = "import fc from 'fast-check'; import { World } from '@codase/testing';";
    const found = await violationsOf({ ...MANIFESTS, 'libs/runtime/src/x.spec.ts': source, 'libs/runtime/src/x.ts': source });

    expect(found).toContain('libs/runtime/src/x.ts imports fast-check, which libs/runtime/package.json does not declare.');
    expect(found.filter((line) => line.startsWith('libs/runtime/src/x.spec.ts'))).toEqual([]);
  });

  it('accepts declared imports and Node built-in modules', async () => {
    const source =
      "import { pino } from 'pino'; import { Kvm } from '@nats-io/kv'; import { FEED } from '@codase/contracts'; import 'node:fs';";

    expect(await violationsOf({ ...MANIFESTS, 'libs/runtime/src/x.ts': source })).toEqual([]);
  });
});
