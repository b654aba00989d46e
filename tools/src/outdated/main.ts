import { command as run } from '@codase/servers';
import { command, readArguments } from '@codase/command-line';
import { ROOT } from '../command/root.ts';
import { describeBehind, readBehind } from './outdated.ts';
import { REASONS } from './reasons.ts';

const HELP = `npm run outdated   packages that are not at their newest version

Compares every package.json of the workspace with the npm registry. The reasons
why packages stay behind are in tools/src/outdated/reasons.ts.

Exit code 1 when a package is behind without a reason, when a reason keeps
nothing back, or when the registry does not answer.`;

await command(HELP, async (args) => {
  readArguments(args, {});
  const { output, problem } = await run('npm', ['outdated', '--json'], { seconds: 300, cwd: ROOT });
  if (!/^\{(?!\s*"error":)/.test(output.trim())) {
    console.error(`npm outdated says nothing: ${problem || 'is the npm registry reachable?'}`);
    return 1;
  }
  const { lines, isFine } = describeBehind(readBehind(output), REASONS);
  console.log(lines.join('\n'));
  return isFine ? 0 : 1;
});
