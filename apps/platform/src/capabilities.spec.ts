import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as contracts from '@codase/contracts';
import type { PeerSubject } from '@codase/contracts';
import {
  CAPABILITIES,
  FRONT_DOOR_MIGRATIONS,
  MOVED_TABLES,
  PLATFORM_LOG_KINDS,
  PLATFORM_METRICS,
  REGION_MIGRATIONS,
  STAYING_TABLES,
} from './capabilities.ts';
import { peerTableOf } from './foundation/peers/index.ts';

const SRC = import.meta.dirname;
const byName = (one: symbol, other: symbol) => one.description!.localeCompare(other.description!);
/** The folder of each capability, which lies in the folder of its district, by the capability's name. */
const FOLDERS = new Map(
  readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('/capability.ts') && !file.startsWith('kit/'))
    .map((file) => [basename(dirname(file)), join(SRC, dirname(file))]),
);
const sourcesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && !file.endsWith('capability.ts'))
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n');

describe('capability manifests', () => {
  it('exist for exactly the capability folders', () => {
    expect(CAPABILITIES.map(({ name }) => name).toSorted()).toEqual([...FOLDERS.keys()].toSorted());
  });

  it.each([
    ['metrics.ts', 'metrics', 'METRICS'],
    ['log-kinds.ts', 'logKinds', 'LOG_KINDS'],
  ] as const)('list exactly what each %s declares, and each entry is used', (file, member, constant) => {
    for (const capability of CAPABILITIES) {
      const folder = FOLDERS.get(capability.name)!;
      const declared = Object.keys(capability[member] ?? {});
      const used = [...sourcesOf(folder).matchAll(new RegExp(`\\b${constant}\\.(\\w+)`, 'g'))].map(([, name]) => name!);

      expect({ [capability.name]: [...new Set(used)].toSorted() }).toEqual({ [capability.name]: declared.toSorted() });
      // A few log kinds stand in the only file that writes them (decision 30).
      const isDeclared = existsSync(join(folder, file)) || (file === 'log-kinds.ts' && sourcesOf(folder).includes(`const ${constant} = `));
      expect(isDeclared).toBe(declared.length > 0);
    }
  });

  it('declare each metric and each kind of log entry only once', () => {
    const [metrics, kinds] = [PLATFORM_METRICS.map(({ name }) => name), PLATFORM_LOG_KINDS];

    expect(metrics.length).toBeGreaterThan(15);
    expect(kinds.length).toBeGreaterThan(15);
    expect([new Set(metrics).size, new Set(kinds).size]).toEqual([metrics.length, kinds.length]);
  });

  it('list every migration of each database in the order in which it is run', () => {
    const files = (database: string) =>
      ['', database].flatMap((folder) => readdirSync(join(SRC, 'migrations', folder))).flatMap((file) => /^\d{13}/.exec(file) ?? []);
    const times = (migrations: readonly { name: string }[]) => migrations.map(({ name }) => /\d{13}$/.exec(name)![0]);

    expect(times(FRONT_DOOR_MIGRATIONS)).toEqual(files('front-door').toSorted());
    expect(times(REGION_MIGRATIONS)).toEqual(files('region').toSorted());
  });

  it('have unique migration names, because a bundler would rename a duplicate and it would run again', () => {
    const all = new Set([...FRONT_DOOR_MIGRATIONS, ...REGION_MIGRATIONS]);
    expect(new Set([...all].map(({ name }) => name)).size).toBe(all.size);
  });

  it('say for each database with tables of theirs what happens after a restore, or why nothing does', () => {
    const silent = CAPABILITIES.flatMap(({ name, tables = {}, afterRestore = {} }) =>
      (['frontDoor', 'region'] as const)
        .filter((database) => tables[database] && !afterRestore[database])
        .map((database) => `${name} ${database}`),
    );

    expect(silent).toEqual([]);
  });

  it('implement each requirement exactly once', () => {
    const required = CAPABILITIES.flatMap(({ requires = [] }) => requires);
    const implemented = CAPABILITIES.flatMap(({ parts }) => Object.values(parts))
      .flatMap((part) => part.implements ?? [])
      .map(({ of }) => of);

    expect(required.length).toBeGreaterThan(5);
    expect(implemented.toSorted(byName)).toEqual(required.toSorted(byName));
  });

  it('list each table of a region as either moved or staying', () => {
    const moved = MOVED_TABLES.all.map(({ table }) => table);

    expect(moved[0]).toBe('profile');
    expect(moved.filter((table) => table in STAYING_TABLES)).toEqual([]);
  });
});

describe('subjects between regions', () => {
  const isPeer = (value: unknown): value is PeerSubject => String((value as PeerSubject | null)?.pattern).startsWith('codase.peer.');
  const declared = Object.values<unknown>(contracts)
    .flatMap((value) => [value, ...Object.values(value ?? {})])
    .filter(isPeer);
  const patterns = [...new Set(declared.map(({ pattern }) => pattern))].toSorted();

  it('are each answered by exactly one manifest', () => {
    const controllers = CAPABILITIES.flatMap(({ parts }) => Object.values(parts).flatMap(({ bus = [] }) => bus));
    const answered = controllers.flatMap((controller) => Object.values(peerTableOf(controller) ?? {}));

    expect(patterns.length).toBeGreaterThan(50);
    expect(answered.map(({ pattern }) => pattern).toSorted()).toEqual(patterns);
  });

  it.each(declared.map((subject) => [subject.pattern, subject] as const))('say what is checked of a request: %s', (_, subject) => {
    const { kind, speaksFor } = subject;
    const path = typeof speaksFor === 'string' ? speaksFor.split('.').at(-1) : speaksFor.nobody;

    expect(['read', 'write']).toContain(kind);
    expect(path).toMatch(typeof speaksFor === 'string' ? /user_id$/ : /\w+ \w+/);
  });
});
