import { exitCodeOf } from '../command/results.ts';
import { readParts } from '../images/bundle-parts.ts';
import { nameOf, numbers } from '../start/replicas.ts';
import { start, type Surroundings } from '../start/start.ts';
import { build } from '../../build.mjs';
import { DevCycle } from './cycle.ts';
import { HELP, readDevOptions, type DevOptions } from './options.ts';
import { projectsIn } from './projects.ts';
import { servicesCalled, watchedUnits, type Checkout, type Service, type WatchedUnit } from './watched.ts';

/** What the command depends on; a test may pass its own. */
interface DevSurroundings extends Surroundings {
  services(): Promise<readonly Service[]>;
}

/** The whole command: runs the stack with watched services, prints faults as sentences, and returns the exit code. */
export const npmDev = (args: string[], env: NodeJS.ProcessEnv, surroundings: DevSurroundings): Promise<number> =>
  exitCodeOf(async () => {
    const options = readDevOptions(args, env, surroundings.root);
    if (options.help) surroundings.screen.write(`${HELP}\n`);
    else await start(options, await watching(options, surroundings));
  });

/** The surroundings of `npm start`, with the named services watched. */
async function watching({ names, inspect, scale }: DevOptions, surroundings: DevSurroundings): Promise<Surroundings> {
  const { root, screen } = surroundings;
  const checkout: Checkout = { root, projects: projectsIn(root), programs: readParts(root).entryPoints };
  const chosen = servicesCalled(names, await surroundings.services(), checkout).flatMap((name) =>
    numbers(scale.replicas).map((number) => nameOf(name, number)),
  );
  let watched: WatchedUnit[] = [];
  return {
    ...surroundings,
    async wantedPorts(options) {
      const debuggers = inspect ? chosen.map((name, i) => ({ port: inspect.port + i, for: `the debugger of ${name}` })) : [];
      return [...(await surroundings.wantedPorts(options)), ...debuggers];
    },
    async describe(options) {
      const stack = await surroundings.describe(options);
      return {
        ...stack,
        units() {
          const units = stack.units();
          const watchable = units.filter(({ name }) => chosen.includes(name));
          watched = watchedUnits(watchable, checkout, inspect);
          for (const line of debuggerLines(watched, inspect)) screen.write(`${line}\n`);
          return units.map((unit) => watched[watchable.indexOf(unit)]?.unit ?? unit);
        },
      };
    },
    besideStack(supervisor, say) {
      for (const line of watchedLines(watched)) say(line);
      return new DevCycle(watched, { root, supervisor, build, say });
    },
  };
}

const debuggerLines = (watched: readonly WatchedUnit[], inspect: DevOptions['inspect']): string[] =>
  watched.flatMap(({ unit, inspectPort }) =>
    inspectPort === undefined
      ? []
      : [`${unit.name} ${inspect?.isAwaited ? 'waits' : 'listens'} for a debugger on 127.0.0.1:${inspectPort}`],
  );

const watchedLines = (watched: readonly WatchedUnit[]): string[] =>
  watched.map(({ unit, builtFrom }) => `watched: ${unit.name}, built from ${builtFrom.map(({ folder }) => folder).join(', ')}`);
