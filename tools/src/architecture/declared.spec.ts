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

describe('what a package imports, it declares', () => {
  it.each([
    ['a package of the registry', "import { request } from 'undici';", 'undici'],
    ['for its types', "import type { Pool } from 'pg';", 'pg'],
    ['by a path inside it', "import { x } from '@nats-io/jetstream/internal';", '@nats-io/jetstream'],
    ['when it is needed', "const { Agent } = await import('undici');", 'undici'],
    ['a library of the repository', "import { field } from '@codase/domain/field-types';", '@codase/domain'],
  ])('%s', async (_, source, name) => {
    const found = await violationsOf({ ...MANIFESTS, 'libs/runtime/src/x.ts': source });

    expect(found).toEqual([`libs/runtime/src/x.ts imports ${name}, which libs/runtime/package.json does not declare.`]);
  });

  it('once for each file', async () => {
    const source = "import { request } from 'undici'; import { Agent } from 'undici';";

    expect(await violationsOf({ ...MANIFESTS, 'libs/runtime/src/x.ts': source })).toHaveLength(1);
  });

  it('dev tools of the root and the testing library serve tests, and nothing that runs', async () => {
    const source = "import fc from 'fast-check'; import { World } from '@codase/testing';";
    const found = await violationsOf({ ...MANIFESTS, 'libs/runtime/src/x.spec.ts': source, 'libs/runtime/src/x.ts': source });

    expect(found).toContain('libs/runtime/src/x.ts imports fast-check, which libs/runtime/package.json does not declare.');
    expect(found.filter((line) => line.startsWith('libs/runtime/src/x.spec.ts'))).toEqual([]);
  });

  it('and then it is allowed', async () => {
    const source =
      "import { pino } from 'pino'; import { Kvm } from '@nats-io/kv'; import { FEED } from '@codase/contracts'; import 'node:fs';";

    expect(await violationsOf({ ...MANIFESTS, 'libs/runtime/src/x.ts': source })).toEqual([]);
  });
});
