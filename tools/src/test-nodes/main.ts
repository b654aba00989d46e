import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, dirname, join } from 'node:path';
import { command, INTERRUPTED, interruption, readArguments, UsageFault } from '@codase/command-line';
import { ROOT } from '../command/root.ts';
import { PACKED } from '../pack/pack-packages.ts';
import { JEST } from '../test/jest.ts';
import { fetchNode, NODE_LINES } from './fetch-node.ts';

const LINES = Object.keys(NODE_LINES);
/** The tests that depend on Node: those beside their code, and those of the runtime on real servers. */
const PROJECTS = ['/src/', 'libs/runtime/'];
/** The tests of what companies install, which supports older lines than the services do. */
const INSTALLED = [...PACKED.map((lib) => `libs/${lib}/`), 'tools/test/pack/'];
const OLDEST_OF_SERVICES = 24;

const HELP = `npm run test-nodes [-- LINE… -- arguments for Jest]   tests on each line of Node

Lines are ${LINES.join(', ')}; all when none is named. The newest version of each comes from npm's registry and is kept in .cache/nodes.
From ${OLDEST_OF_SERVICES} on it runs the unit tests and those of the runtime, before it those of the packages that companies install.
Some five minutes each. Exit code 1 when a test fails, or a Node cannot be fetched.`;

/** Runs Jest in another Node, with its output shown as it comes. Programs that it starts by the name `node` run in that Node too. */
async function testIn(line: string, node: string, jestArguments: readonly string[], signal: AbortSignal): Promise<number> {
  const env = { ...process.env, CODASE_KEEP_NODE: '1', PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` };
  const paths = jestArguments.length ? jestArguments : Number(line) < OLDEST_OF_SERVICES ? INSTALLED : PROJECTS;
  const child = spawn(node, [...JEST, ...paths], { cwd: ROOT, env, stdio: 'inherit' });
  signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

await command(HELP, async (args) => {
  const end = args.indexOf('--');
  const [ours, forJest] = end < 0 ? [args, []] : [args.slice(0, end), args.slice(end + 1)];
  const { positionals } = readArguments(ours, {});
  const unknown = positionals.filter((line) => !LINES.includes(line));
  if (unknown.length) throw new UsageFault(`There is no line '${unknown.join("', '")}': there are ${LINES.join(', ')}.`);
  const signal = interruption();
  const failed: string[] = [];
  for (const line of positionals.length ? positionals : LINES) {
    const found = await fetchNode(line, join(ROOT, '.cache/nodes'));
    if ('missing' in found) console.error(found.missing);
    else console.log(`Node ${line}: ${found.path}`);
    if ('missing' in found || (await testIn(line, found.path, forJest, signal)) !== 0) failed.push(line);
    if (signal.aborted) return INTERRUPTED;
  }
  console.log(failed.length ? `failed on Node ${failed.join(', ')}` : 'passed on every Node');
  return failed.length ? 1 : 0;
});
