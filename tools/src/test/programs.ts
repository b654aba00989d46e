import { runNode } from '../command/child.ts';
import { failed, PASSED, type Step } from './step.ts';

/** A step that takes longer hangs. No step takes half a minute, but a busy machine may be ten times as slow. */
const HANGS_SECONDS = 600;

/** A step that runs a program. It passes when the program ends with 0; otherwise the output is the report. */
const program = (name: string, args: string[], env?: Record<string, string>): Step => ({
  name,
  async run({ root, signal }) {
    const { code, output, timedOut } = await runNode(args, { cwd: root, env, seconds: HANGS_SECONDS, signal });
    if (code === 0) return PASSED;
    return failed(timedOut ? `${name} took more than ${HANGS_SECONDS} seconds and was ended.\n${output}` : output);
  },
});

const TSC = 'node_modules/typescript/bin/tsc -p tsconfig.json --checkers 1 --incremental --tsBuildInfoFile .cache/types.tsbuildinfo';

/**
 * The type check of the whole repository. Its results for unchanged files are kept. Jest runs at the same time, so the check takes as
 * little CPU time as it can: half of what it takes with four checkers, which each find out the same, and with more garbage collection.
 */
export const types = program('types', TSC.split(' '), { GOGC: '400' });

/** The linter over the whole repository. */
export const lint = program('lint', ['node_modules/oxlint/bin/oxlint', '--disable-nested-config', '--type-aware']);

/** The formatter over the whole repository; `npm run format` writes what it asks for. */
export const format = program('format', ['node_modules/oxfmt/bin/oxfmt', '--check']);
