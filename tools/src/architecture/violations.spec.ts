import { ROOT } from '../command/root.ts';
import { inTempTree } from '@cds/testing/temp-tree';
import { RULES } from './rules.ts';
import { violations } from './violations.ts';

const violationsOf = (files: Record<string, string>) => inTempTree(files, violations);

/** A capability.ts, as short as it can be. */
const manifest = ({ uses = [], more = '' }: { uses?: string[]; more?: string }) => `
  ${uses.map((name) => `import { ${name.toUpperCase()} } from '../${name}/index.ts';`).join('\n')}
  export const IT: Capability = { name: 'it', uses: [${uses.map((name) => name.toUpperCase()).join(', ')}], ${more} parts: {} };`;

/** One forbidden import for every rule that forbids anything. */
const BROKEN: Record<string, [file: string, source: string]> = {
  contracts: ['libs/contracts/src/x.ts', "import { Injectable } from '@nestjs/common';"],
  crypto: ['libs/crypto/src/x.ts', "import { readFile } from 'node:fs/promises';"],
  domain: ['libs/domain/src/x.ts', "import { createHash } from 'node:crypto';"],
  runtime: ['libs/runtime/src/x.ts', "import { ROLES } from '@cds/platform';"],
  servers: ['libs/servers/src/x.ts', "import { Bus } from '@cds/runtime/bus';"],
  actors: ['libs/actors/src/x.ts', "import { provision } from '@cds/platform';"],
  'command-line': ['libs/command-line/src/x.ts', "import { z } from 'zod';"],
  stack: ['libs/stack/src/x.ts', "import { World } from '@cds/testing';"],
  client: ['libs/client/src/x.ts', "import { openValue } from '@cds/crypto/open';"],
  examples: ['examples/shop-backend/src/x.ts', "import { Bus } from '@cds/runtime/bus';"],
  cli: ['apps/cli/src/x.ts', "import { ROUTES } from '@cds/tools';"],
  'decryptor, files that touch the world': ['apps/decryptor/src/open/open.service.ts', "import { Pool } from 'pg';"],
  'platform, files that touch the world': ['apps/platform/src/main.ts', "const { openValue } = await import('@cds/crypto/open');"],
  'suite apps, files that touch the world': ['apps/gateway/src/gateway.module.ts', "export type { ROLES } from '@cds/platform';"],
  'decryptor, plain-named files': ['apps/decryptor/src/open/batch.ts', "import { readFileSync } from 'node:fs';"],
  'apps, plain-named files': ['apps/platform/src/twofa/challenge.ts', "import type { EntityManager } from 'typeorm';"],
};

describe('the architecture', () => {
  it('holds in this repository', () => {
    expect(violations(ROOT)).toEqual([]);
  });

  it('has an example of breaking for every rule', () => {
    expect(Object.keys(BROKEN)).toEqual(RULES.filter(({ may }) => may !== 'anything').map(({ who }) => who));
  });

  it.each(Object.entries(BROKEN))('%s: a forbidden import is named with its reason', async (who, [file, source]) => {
    const found = await violationsOf({ [file]: source });

    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`${file} imports`);
    expect(found[0]).toContain(who);
  });

  it.each([
    ['the testing library in an app', 'apps/flows/src/start/start.worker.ts', "import { world } from '@cds/testing';"],
    ['one suite app in another', 'apps/twofa/src/main.ts', "import { x } from '@cds/gateway';"],
    ['the bus driver in an app', 'apps/flows/src/main.ts', "import { connect } from '@nats-io/transport-node';"],
    ["Nest's own transports in an app", 'apps/flows/src/start/start.service.ts', "import { MessagePattern } from '@nestjs/microservices';"],
    ['another package by its path', 'apps/flows/src/main.ts', "import { x } from '../../gateway/src/index.ts';"],
    ['a test of another package by its path', 'libs/domain/src/x.spec.ts', "import { x } from '../../contracts/src/errors.ts';"],
    ['a computed name', 'libs/runtime/src/x.ts', 'export const load = (name: string) => import(name);'],
    ['a file that no rule covers', 'apps/unheard-of/src/x.ts', ''],
    [
      'a file that touches the world in a plain-named one',
      'apps/gateway/src/tokens/cache.ts',
      "import { store } from './tokens.store.ts';",
    ],
    [
      'a capability past its index',
      'apps/platform/src/flows/runs/runs.service.ts',
      "import { x } from '../../documents/documents.store.ts';",
    ],
    ['a capability past its index, from the roles', 'apps/platform/src/roles.ts', "import { x } from './feed/feed.module.ts';"],
    ['a capability, by one without a manifest', 'apps/platform/src/flows/flows.service.ts', "import { x } from '../feed/index.ts';"],
  ])('refuses %s', async (_, file, source) => {
    expect(await violationsOf({ [file]: source })).toHaveLength(1);
  });

  it.each([
    ['for its values', 'feed.service.ts', "import { x } from '../connections/index.ts';"],
    ['for its types', 'event.ts', "import type { X } from '../connections/index.ts';"],
  ])('refuses a capability that the manifest does not name, %s', async (_, file, source) => {
    const found = await violationsOf({
      'apps/platform/src/feed/capability.ts': manifest({ uses: ['regions'] }),
      [`apps/platform/src/feed/${file}`]: source,
    });

    expect(found).toEqual([expect.stringContaining('the manifest of feed does not say that it uses connections')]);
  });

  it('refuses capabilities that use each other', async () => {
    const found = await violationsOf({
      'apps/platform/src/feed/capability.ts': manifest({ uses: ['services'] }),
      'apps/platform/src/services/capability.ts': manifest({ uses: ['webhooks'] }),
      'apps/platform/src/webhooks/capability.ts': manifest({ uses: ['feed'] }),
    });

    expect(found).toEqual([expect.stringContaining('feed → services → webhooks → feed')]);
  });

  it('refuses files that import each other', async () => {
    const found = await violationsOf({
      'libs/domain/src/a.ts': "import { b } from './b.ts'; export const a = b;",
      'libs/domain/src/b.ts': "export { a as b } from './a.ts';",
    });

    expect(found).toEqual([expect.stringContaining('libs/domain/src/a.ts → libs/domain/src/b.ts → libs/domain/src/a.ts')]);
  });

  it('refuses files that know each other by their types alone', async () => {
    const found = await violationsOf({
      'libs/domain/src/a.ts': "import type { B } from './b.ts'; export type A = B;",
      'libs/domain/src/b.ts': "export type B = import('./a.ts').A | null;",
    });

    expect(found).toEqual([expect.stringContaining('libs/domain/src/a.ts → libs/domain/src/b.ts → libs/domain/src/a.ts')]);
  });

  it('allows what the story needs', async () => {
    const found = await violationsOf({
      'apps/platform/src/connections/capability.ts': manifest({ uses: ['feed'] }),
      'apps/platform/src/roles.ts': "import { FeedModule } from './feed/index.ts';",
      'apps/platform/src/feed/index.ts': "export { FeedModule } from './feed.module.ts';",
      'apps/platform/src/feed/feed.module.ts':
        "import { Module } from '@nestjs/common'; import { Serves } from '@cds/runtime/http'; import './event.ts';",
      'apps/platform/src/feed/event.ts':
        "import { createHash } from 'node:crypto'; import type { Slots } from './slots.store.ts'; import { z } from 'zod';",
      'apps/platform/src/connections/values.store.ts':
        "import { append } from '../feed/index.ts'; import { validate } from '@cds/domain/field-types';",
      'apps/platform/src/connections/values.spec.ts':
        "import { world } from '@cds/testing'; import { append } from '../feed/feed.store.ts';",
      'apps/decryptor/src/open/open.ts': "import { openValue } from '@cds/crypto/open';",
      'apps/flows/src/turns/turns.worker.ts': "import { turns } from '@cds/client'; import { setTimeout } from 'node:timers/promises';",
    });

    expect(found).toEqual([]);
  });
});
