import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  CAPABILITIES,
  FRONT_DOOR_MIGRATIONS,
  MOVED_TABLES,
  PLATFORM_LOG_KINDS,
  PLATFORM_METRICS,
  REGION_MIGRATIONS,
  STAYING_TABLES,
} from './capabilities.ts';

const SRC = import.meta.dirname;
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

describe('the manifests', () => {
  it('are those of the folders', () => {
    expect(CAPABILITIES.map(({ name }) => name).toSorted()).toEqual([...FOLDERS.keys()].toSorted());
  });

  it.each([
    ['metrics.ts', 'metrics', 'METRICS'],
    ['log-kinds.ts', 'logKinds', 'LOG_KINDS'],
  ] as const)('name what each %s declares, and all of it is used', (file, member, constant) => {
    for (const capability of CAPABILITIES) {
      const folder = FOLDERS.get(capability.name)!;
      const declared = Object.keys(capability[member] ?? {});
      const used = [...sourcesOf(folder).matchAll(new RegExp(`\\b${constant}\\.(\\w+)`, 'g'))].map(([, name]) => name!);

      expect({ [capability.name]: [...new Set(used)].toSorted() }).toEqual({ [capability.name]: declared.toSorted() });
      expect(existsSync(join(folder, file))).toBe(declared.length > 0);
    }
  });

  it('declare each metric and each kind of log entry once', () => {
    const [metrics, kinds] = [PLATFORM_METRICS.map(({ name }) => name), PLATFORM_LOG_KINDS];

    expect(metrics.length).toBeGreaterThan(15);
    expect(kinds.length).toBeGreaterThan(15);
    expect([new Set(metrics).size, new Set(kinds).size]).toEqual([metrics.length, kinds.length]);
  });

  it('name every migration there is, each database in the order in which it ran them', () => {
    const files = (database: string) =>
      ['', database].flatMap((folder) => readdirSync(join(SRC, 'migrations', folder))).flatMap((file) => /^\d{13}/.exec(file) ?? []);
    const times = (migrations: readonly { name: string }[]) => migrations.map(({ name }) => /\d{13}$/.exec(name)![0]);

    expect(times(FRONT_DOOR_MIGRATIONS)).toEqual(files('front-door').toSorted());
    expect(times(REGION_MIGRATIONS)).toEqual(files('region').toSorted());
  });

  it('name no two migrations alike: a bundle would give one of them another name, and it would run again', () => {
    const all = new Set([...FRONT_DOOR_MIGRATIONS, ...REGION_MIGRATIONS]);
    expect(new Set([...all].map(({ name }) => name)).size).toBe(all.size);
  });

  it('say of each table of a region whether it moves', () => {
    const moved = MOVED_TABLES.all.map(({ table }) => table);

    expect(moved[0]).toBe('profile');
    expect(moved.filter((table) => table in STAYING_TABLES)).toEqual([]);
  });
});
