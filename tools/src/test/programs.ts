import { runNode } from '../command/child.ts';
import { failed, PASSED, type Step } from './step.ts';

/** None takes half a minute; a machine with much else to do may be ten times as slow. */
const HANGS_SECONDS = 600;

/** A step that is a program of its own: passed when it ends with 0, else its output is the report. */
const program = (name: string, args: string[], env?: Record<string, string>): Step => ({
  name,
  async run({ root, signal }) {
    const { code, output, timedOut } = await runNode(args, { cwd: root, env, seconds: HANGS_SECONDS, signal });
    if (code === 0) return PASSED;
    return failed(timedOut ? `${name} took more than ${HANGS_SECONDS} seconds and was ended.\n${output}` : output);
  },
});

const TSC = 'node_modules/typescript7/bin/tsc -p tsconfig.json --checkers 1 --incremental --tsBuildInfoFile .cache/types.tsbuildinfo';

/**
 * The type check of the whole repository; what it found out about files that stay the same is kept. Jest runs meanwhile, so it takes as
 * little CPU time as it can: half of what it takes with four checkers, which find out the same four times, and more collecting of garbage.
 */
export const types = program('types', TSC.split(' '), { GOGC: '400' });

/** The linter over the whole repository. */
export const lint = program('lint', ['node_modules/oxlint/bin/oxlint', '--disable-nested-config']);

/** The formatter over the whole repository; `npm run format` writes what it asks for. */
export const format = program('format', ['node_modules/oxfmt/bin/oxfmt', '--check']);
