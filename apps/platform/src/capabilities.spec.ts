import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { METRICS } from '@cds/runtime/telemetry';
import { CAPABILITIES, FRONT_DOOR_MIGRATIONS, MOVED_TABLES, REGION_MIGRATIONS, STAYING_TABLES } from './capabilities.ts';
import { LOG_KINDS } from './services/log.store.ts';

const SRC = import.meta.dirname;
const sourcesOf = (folder: string) =>
  readdirSync(join(SRC, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && !file.endsWith('capability.ts'))
    .map((file) => readFileSync(join(SRC, folder, file), 'utf8'))
    .join('\n');

describe('the manifests', () => {
  it('are those of the folders', () => {
    const folders = readdirSync(SRC, { withFileTypes: true }).filter(
      (entry) => entry.isDirectory() && !['operator', 'migrations'].includes(entry.name),
    );

    expect(CAPABILITIES.map(({ name }) => name).toSorted()).toEqual(folders.map(({ name }) => name).toSorted());
  });

  it('name each metric that a capability counts, and each once', () => {
    const counted = Object.fromEntries(
      CAPABILITIES.map(({ name }) => {
        const source = sourcesOf(name);
        return [
          name,
          Object.keys(METRICS)
            .filter((metric) => new RegExp(`\\b(?:(?:count|raise|read|measure|timed)\\(|metric: )'${metric}'`).test(source))
            .toSorted(),
        ];
      }),
    );

    expect(Object.fromEntries(CAPABILITIES.map(({ name, metrics = [] }) => [name, metrics.toSorted()]))).toEqual(counted);
    expect(new Set(CAPABILITIES.flatMap(({ metrics = [] }) => metrics)).size).toBe(
      CAPABILITIES.flatMap(({ metrics = [] }) => metrics).length,
    );
  });

  it('name each kind of log entry once', () => {
    expect(CAPABILITIES.flatMap(({ logKinds = [] }) => logKinds).toSorted()).toEqual([...LOG_KINDS].toSorted());
  });

  it('name every migration there is, each database in the order in which it ran them', () => {
    const files = (database: string) => readdirSync(join(SRC, 'migrations', database)).map((file) => /^\d{13}/.exec(file)![0]);
    const times = (migrations: readonly { name: string }[]) => migrations.map(({ name }) => /\d{13}$/.exec(name)![0]);

    expect(times(FRONT_DOOR_MIGRATIONS)).toEqual(files('front-door').toSorted());
    expect(times(REGION_MIGRATIONS)).toEqual(files('region').toSorted());
  });

  it('say of each table of a region whether it moves', () => {
    const moved = MOVED_TABLES.all.map(({ table }) => table);

    expect(moved[0]).toBe('profile');
    expect(moved.filter((table) => table in STAYING_TABLES)).toEqual([]);
  });
});
