// Jest's global teardown. When Jest is killed before it gets here, the guards of the temporary Postgres and folders clean up instead.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export default async function teardown() {
  await globalThis.stopTestServers?.();
  if (!globalThis.startScripts) return;
  sayStarts(join(globalThis.startScripts.path, 'starts'));
  sayRefused(join(globalThis.startScripts.path, 'refused'));
  globalThis.startScripts.remove();
}

/**
 * Prints how many services the tests started in processes of their own. Each start costs about a second of CPU, and as much again when the
 * service then works with cold code.
 */
function sayStarts(file) {
  if (!existsSync(file)) return;
  const counts = new Map();
  for (const name of readFileSync(file, 'utf8').trim().split('\n')) counts.set(name, (counts.get(name) ?? 0) + 1);
  const all = [...counts].toSorted(([, a], [, b]) => b - a);
  console.error(
    `${all.reduce((sum, [, count]) => sum + count, 0)} services started: ${all.map(([name, count]) => `${count} ${name}`).join(', ')}`,
  );
}

/** Prints the scripts whose compiled code was kept and refused by V8. Compiling them again is a third of the cost of a start. */
function sayRefused(file) {
  if (!existsSync(file)) return;
  const names = readFileSync(file, 'utf8').trim().split('\n');
  console.error(`${names.length} scripts were compiled again although they were kept: ${[...new Set(names)].join(', ')}`);
}
