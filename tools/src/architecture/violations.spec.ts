import { inTempTree } from '@codase/testing/temp-tree';
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
  runtime: ['libs/runtime/src/x.ts', "import { ROLES } from '@codase/platform';"],
  pdf: ['libs/pdf/src/x.ts', "import { sealFor } from '@codase/crypto';"],
  servers: ['dev/servers/src/x.ts', "import { Bus } from '@codase/runtime/bus';"],
  actors: ['dev/actors/src/x.ts', "import { provision } from '@codase/platform';"],
  'command-line': ['libs/command-line/src/x.ts', "import { z } from 'zod';"],
  stack: ['dev/stack/src/x.ts', "import { World } from '@codase/testing';"],
  client: ['libs/client/src/x.ts', "import { openValue } from '@codase/crypto/open';"],
  examples: ['examples/shop-backend/src/x.ts', "import { Bus } from '@codase/runtime/bus';"],
  cli: ['apps/cli/src/x.ts', "import { ROUTES } from '@codase/tools';"],
  'decryptor, files that touch the world': ['apps/decryptor/src/open/open.service.ts', "import { Pool } from 'pg';"],
  'platform, built-in plugins': [
    'apps/platform/src/services/plugins/builtin/places.service.ts',
    "import { World } from '@codase/testing';",
  ],
  'platform, the tables of built-in plugins': [
    'apps/platform/src/services/plugins/builtin/places.ts',
    "import { readFileSync } from 'node:fs';",
  ],
  'platform, files that touch the world': ['apps/platform/src/main.ts', "const { openValue } = await import('@codase/crypto/open');"],
  'platform, the list of known passwords': [
    'apps/platform/src/access/identity/sign-up/known-passwords.ts',
    "import { readFileSync } from 'node:fs';",
  ],
  'flows, questions to plugins': ['apps/flows/src/plugins/plugin-questions.service.ts', "import { ROLES } from '@codase/platform';"],
  'suite apps, files that touch the world': ['apps/gateway/src/gateway.module.ts', "export type { ROLES } from '@codase/platform';"],
  'decryptor, plain-named files': ['apps/decryptor/src/open/batch.ts', "import { readFileSync } from 'node:fs';"],
  'apps, plain-named files': ['apps/platform/src/twofa/challenge.ts', "import type { EntityManager } from 'typeorm';"],
};

describe('the architecture check', () => {
  it('has an example of a violation for every rule', () => {
    expect(Object.keys(BROKEN)).toEqual(RULES.filter(({ may }) => may !== 'anything').map(({ who }) => who));
  });

  it.each(Object.entries(BROKEN))('reports a forbidden import with the rule it breaks: %s', async (who, [file, source]) => {
    const found = await violationsOf({ [file]: source });

    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`${file} imports`);
    expect(found[0]).toContain(who);
  });

  it.each([
    ['the testing library in an app', 'apps/flows/src/start/start.worker.ts', "import { world } from '@codase/testing';"],
    ['one suite app in another', 'apps/twofa/src/main.ts', "import { x } from '@codase/gateway';"],
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
      'apps/platform/src/services/flows/runs/runs.service.ts',
      "import { x } from '../../documents/documents.store.ts';",
    ],
    ['a capability past its index, from the roles', 'apps/platform/src/roles.ts', "import { x } from './services/feed/feed.module.ts';"],
    ['a district above', 'apps/platform/src/access/tokens/tokens.service.ts', "import { x } from '../../services/feed/index.ts';"],
    ['a capability in the kit', 'apps/platform/src/kit/paging.ts', "import { x } from '../access/tokens/index.ts';"],
    ['what puts capabilities together', 'apps/platform/src/services/feed/feed.service.ts', "import { x } from '../../roles.ts';"],
    [
      'a capability, by one without a manifest',
      'apps/platform/src/services/flows/flows.service.ts',
      "import { x } from '../feed/index.ts';",
    ],
  ])('refuses %s', async (_, file, source) => {
    expect(await violationsOf({ [file]: source })).toHaveLength(1);
  });

  it.each([
    ['for its values', 'feed.service.ts', "import { x } from '../connections/index.ts';"],
    ['for its types', 'event.ts', "import type { X } from '../connections/index.ts';"],
  ])('refuses an import of a capability that the manifest does not name, %s', async (_, file, source) => {
    const found = await violationsOf({
      'apps/platform/src/services/feed/capability.ts': manifest({ uses: ['regions'] }),
      [`apps/platform/src/services/feed/${file}`]: source,
    });

    expect(found).toEqual([expect.stringContaining('the manifest of feed does not say that it uses connections')]);
  });

  it('refuses capabilities that depend on each other', async () => {
    const found = await violationsOf({
      'apps/platform/src/services/feed/capability.ts': manifest({ uses: ['services'] }),
      'apps/platform/src/services/services/capability.ts': manifest({ uses: ['webhooks'] }),
      'apps/platform/src/services/webhooks/capability.ts': manifest({ uses: ['feed'] }),
    });

    expect(found).toEqual([expect.stringContaining('feed → services → webhooks → feed')]);
  });

  describe('for database tables', () => {
    const OWNED = {
      'apps/platform/src/foundation/regions/capability.ts': manifest({
        more: 'tables: { frontDoor: [RegionModeEntity], region: [{ entity: ProfileEntity, moves: {} }] },',
      }),
      'apps/platform/src/foundation/regions/region-mode.entity.ts': "@Entity({ name: 'region_mode' }) export class RegionModeEntity {}",
      'apps/platform/src/foundation/regions/profile.entity.ts': "@Entity({ name: 'profile' }) export class ProfileEntity {}",
      'apps/platform/src/services/feed/capability.ts': manifest({ more: "reads: { profile: 'it is measured' }," }),
      'apps/platform/src/services/feed/emit.store.ts': 'sql`select 1 from profile`',
    };
    const inFeed = (source: string) => violationsOf({ ...OWNED, 'apps/platform/src/services/feed/channel.store.ts': source });
    const inMail = (source: string) => violationsOf({ ...OWNED, 'apps/platform/src/services/mail/outbox.store.ts': source });

    it.each([
      ['a read', 'sql`select * from profile where user_id = ${id}`', 'reads profile'],
      ['a read of the front door', 'sql`select * from region_mode`', 'reads region_mode'],
      ['a join', 'sql`select 1 from mail m join profile p using (user_id)`', 'reads profile'],
      ['a list of tables', 'sql`update mail m set sent = true from due, profile p where p.user_id = m.user_id`', 'reads profile'],
      ['a fragment', 'sql`join profile using (user_id)`', 'reads profile'],
      ['a statement run in place', 'many<Row>(tx)`/* the home */ select * from profile`', 'reads profile'],
      ['a change', 'sql`update profile set home = ${home}`', 'changes profile'],
      ['an addition', 'sql`with new as (select 1) insert into profile select * from new`', 'changes profile'],
      ['a deletion', 'sql`delete from profile`', 'changes profile'],
      ['a statement behind what runs it', 'many<Row>(this.db)`(select * from profile)`', 'reads profile'],
      ['a string that begins like a statement', "db.query('select home from profile')", 'reads profile'],
    ])('refuses %s of a table that another capability owns', async (_, source, what) => {
      expect(await inMail(source)).toEqual([expect.stringMatching(`outbox.store.ts ${what} by a statement.*regions owns it`)]);
    });

    it('refuses a statement on an owned table outside every capability', async () => {
      const found = await violationsOf({ ...OWNED, 'apps/platform/src/operator/provision.service.ts': 'sql`select 1 from profile`' });

      expect(found).toEqual([expect.stringContaining('regions owns it')]);
    });

    it('allows a declared read, and refuses a change of that table', async () => {
      expect(await inFeed('sql`select 1 from profile for share`')).toEqual([]);
      expect(await inFeed('sql`delete from profile`')).toEqual([expect.stringContaining('may not change it')]);
    });

    it('refuses an index.ts that exports an entity, and allows one that exports its type', async () => {
      const index = (exported: string) =>
        violationsOf({ ...OWNED, 'apps/platform/src/foundation/regions/index.ts': `${exported} from './profile.entity.ts';` });

      expect(await index('export { ProfileEntity }')).toEqual([expect.stringContaining('get the types of rows alone')]);
      expect(await index('export type { ProfileEntity }')).toEqual([]);
    });

    it('knows a table by its schema too', async () => {
      const found = await violationsOf({
        'apps/platform/src/foundation/audit/capability.ts': manifest({ more: 'tables: { frontDoor: [EntryEntity] },' }),
        'apps/platform/src/foundation/audit/entry.entity.ts': "@Entity({ schema: 'audit', name: 'entry' }) export class EntryEntity {}",
        'apps/platform/src/services/mail/outbox.store.ts': 'sql`select 1 from audit.entry`',
      });

      expect(found).toEqual([expect.stringContaining('audit owns it')]);
    });

    it('refuses a computed table name', async () => {
      expect(await inMail('const text = `delete from ${table} where true`;')).toEqual([expect.stringContaining('only a written name')]);
    });

    it.each([
      [
        'a column and a word that sound like it',
        'sql`insert into mail (user_id, profile, at) select 1 as profile, extract(epoch from at) from mail`',
      ],
      ['a name of the statement itself', 'sql`with profile as materialized (select 1) select * from profile`'],
      ['a lock and an upsert', 'sql`insert into mail select 1 from mail for update of mail on conflict do update set at = 1`'],
      ['a sentence', "const text = 'updates come from profile pages';"],
      ['a quotation', "sql`select 'delete from profile'`"],
    ])('does not mistake %s for access to a table', async (_, source) => {
      expect(await inMail(source)).toEqual([]);
    });

    it('refuses a declared read that no statement performs', async () => {
      const found = await violationsOf({ ...OWNED, 'apps/platform/src/services/feed/emit.store.ts': 'sql`select 1 from feed_event`' });

      expect(found).toEqual([expect.stringContaining('feed declares to read profile, and no statement of it does')]);
    });

    it('refuses a second owner of a table, and a declared read of a table without an owner', async () => {
      const found = await violationsOf({
        ...OWNED,
        'apps/platform/src/sharing/people/capability.ts': manifest({
          more: "tables: { region: [{ entity: ProfileEntity, stays: 'x' }] }, reads: { nothing: 'x' },",
        }),
      });

      expect(found).toEqual([
        expect.stringMatching(/(people and regions|regions and people) both own the table profile/),
        expect.stringContaining('people declares to read nothing, which no other capability owns'),
        expect.stringContaining('people declares to read nothing, and no statement of it does'),
      ]);
    });
  });

  it('refuses files that import each other', async () => {
    const found = await violationsOf({
      'libs/domain/src/a.ts': "import { b } from './b.ts'; export const a = b;",
      'libs/domain/src/b.ts': "export { a as b } from './a.ts';",
    });

    expect(found).toEqual([expect.stringContaining('libs/domain/src/a.ts → libs/domain/src/b.ts → libs/domain/src/a.ts')]);
  });

  it('refuses files that import only types from each other', async () => {
    const found = await violationsOf({
      'libs/domain/src/a.ts': "import type { B } from './b.ts'; export type A = B;",
      'libs/domain/src/b.ts': "export type B = import('./a.ts').A | null;",
    });

    expect(found).toEqual([expect.stringContaining('libs/domain/src/a.ts → libs/domain/src/b.ts → libs/domain/src/a.ts')]);
  });

  it('accepts imports that follow the rules', async () => {
    const found = await violationsOf({
      'apps/platform/src/sharing/connections/capability.ts': manifest({ uses: ['feed'] }),
      'apps/platform/src/roles.ts': "import { FeedModule } from './services/feed/index.ts';",
      'apps/platform/src/services/feed/index.ts': "export { FeedModule } from './feed.module.ts';",
      'apps/platform/src/services/feed/feed.module.ts':
        "import { Module } from '@nestjs/common'; import { Serves } from '@codase/runtime/http'; import './event.ts';",
      'apps/platform/src/services/feed/event.ts':
        "import { createHash } from 'node:crypto'; import type { Slots } from './slots.store.ts'; import { z } from 'zod';",
      'apps/platform/src/sharing/connections/values.store.ts':
        "import { append } from '../../services/feed/index.ts'; import { validate } from '@codase/domain/field-types';",
      'apps/platform/src/sharing/connections/values.spec.ts':
        "import { world } from '@codase/testing'; import { append } from '../feed/feed.store.ts';",
      'apps/decryptor/src/open/open.ts': "import { openValue } from '@codase/crypto/open';",
      'apps/flows/src/turns/turns.worker.ts': "import { turns } from '@codase/client'; import { setTimeout } from 'node:timers/promises';",
    });

    expect(found).toEqual([]);
  });
});
