import { relative } from 'node:path';
import { table } from '@codase/command-line';
import type { Running } from './bring-up.ts';
import { processTreeOf, memoryOf } from '@codase/stack/processes';
import type { Stack } from './stack.ts';
import type { StateFolder } from './state-folder.ts';

/** What runs where, how much memory it takes, how long the start took, where the API is explained, and one thing to try. */
export function overview(stack: Stack, running: Running, folder: StateFolder, seconds: number): string {
  const probes = (port: number) => `http://127.0.0.1:${port} (probes)`;
  const parts = [
    ...running.supervisor.running.map(({ unit, pid }) => ({
      what: unit.name,
      where: unit.url ?? probes(unit.opsPort),
      pid,
      elsewhere: '',
    })),
    ...running.servers.map(({ title, where, own, close }) => ({
      what: title,
      where,
      pid: own?.pid || undefined, // a container that Docker runs on another machine has no process here
      elsewhere: close ? 'here' : own ? 'in a container' : 'not ours',
    })),
  ];
  const trees = parts.map(({ pid }) => (pid === undefined ? [] : processTreeOf(pid)));
  const rows = parts.map(({ what, where, pid, elsewhere }, i) => [what, where, String(pid ?? elsewhere), megabytes(memoryOf(trees[i]!))]);
  const total = memoryOf([process.pid, ...trees.flat()]);
  return [
    '',
    table([['what', 'where', 'process', 'memory'], ...rows, ['all, with this supervisor', '', '', megabytes(total)]]),
    '',
    `up after ${seconds.toFixed(1)} s; logs in ${shown(folder.logs)}, development secrets in ${shown(stack.secrets)}`,
    ...(stack.board ? ['', `Is it well? Five numbers, what waits, and the traces of the newest events: ${stack.board}`] : []),
    ...(stack.docs ? ['', `The API, explained and ready to try: ${stack.docs}`] : []),
    '',
    'One thing to try in another terminal, and to watch here:',
    `  ${stack.tryThis}`,
    ...(stack.alsoTry ?? []).flatMap(({ what, command }) => ['', `${what}:`, `  ${command}`]),
  ].join('\n');
}

const megabytes = (bytes: number | undefined): string => (bytes === undefined ? '' : `${Math.round(bytes / 1024 / 1024)} MB`);

const shown = (path: string): string => {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short;
};
