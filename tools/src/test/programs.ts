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

/** Jest runs beside these programs in Go, so they take as little CPU time as they can, and collect little garbage. */
const LITTLE_GARBAGE = { GOGC: '400' };

/**
 * The type check of the whole repository. Its results for unchanged files are kept. One checker takes half of the CPU time of four,
 * which each find out the same.
 */
export const types = program('types', TSC.split(' '), LITTLE_GARBAGE);

/**
 * The linter over the whole repository. For each tsconfig.json it parses all that the folder imports, the types of packages too. So the
 * root has the only one: see docs/decisions/0145. Two threads would each find out the same types.
 */
export const lint = program('lint', ['node_modules/oxlint/bin/oxlint', '--disable-nested-config', '--type-aware'], {
  ...LITTLE_GARBAGE,
  GOMAXPROCS: '1',
});

/** The formatter over the whole repository; `npm run format` writes what it asks for. */
export const format = program('format', ['node_modules/oxfmt/bin/oxfmt', '--check']);
