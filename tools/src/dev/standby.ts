// The program of a watched service. It loads the packages of others that the service needs, and waits. On the message `load` it loads the
// code of the service, and on `begin` it becomes the service. It loads no source of this repository before it is told to, so it is never
// out of date.
import { readFileSync } from 'node:fs';
import inspector from 'node:inspector';
import { createRequire, isBuiltin } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { StandbySettings } from './watched.ts';

const { packages, imports, entry, inspect } = JSON.parse(process.argv[2]!) as StandbySettings;
const orphaned = (): never => process.exit(0);
let isWaiting = true;
const begun = new Promise<void>((begin) => {
  process.on('message', function receive(message) {
    isWaiting = false;
    if (message === 'load') return void load().then(() => process.send?.('loaded'));
    process.off('message', receive);
    begin();
  });
});
process.on('disconnect', orphaned);

for (const name of packages) if (isWaiting) await import(name).catch(() => {}); // what the service cannot load, it reports itself
await begun;
process.off('disconnect', orphaned);
process.argv.splice(1, 2, entry);
if (inspect) inspector.open(inspect.port, '127.0.0.1', inspect.isAwaited);
// oxlint-disable-next-line no-debugger -- --inspect-brk stops here, one line before the service
if (inspect?.isAwaited) debugger;
for (const module of [...imports, entry]) await importFile(module);

/** Loads all that the service loads, except its entry, which would start it. A fault ends this process, as it would end the service. */
async function load(): Promise<void> {
  for (const module of imports) await importFile(module);
  const { resolve } = createRequire(entry);
  for (const name of importsOf(readFileSync(entry, 'utf8'))) if (!isBuiltin(name)) await importFile(resolve(name));
}

function importFile(path: string): Promise<unknown> {
  return import(pathToFileURL(path).href);
}

/** Returns what a built file imports. The build writes each import as one statement, at the beginning of a line. */
function importsOf(code: string): string[] {
  return [...code.matchAll(/^import\s(?:[^'";]*\sfrom\s)?["']([^"']+)["']/gm)].map(([, specifier]) => specifier!);
}
