import { command, readArguments } from '@codase/command-line';
import { printProblems } from '../command/results.ts';
import { ROOT } from '../command/root.ts';
import { deployCheck } from './deploy-check.ts';

const HELP = `npm run deploy-check   everything below deploy: images, chart, servers, dashboards, alerts

Renders the chart with each preset and with all values of deploy/chart/ci, checks every object against the types of its API version, who
reaches whom by the network policies, what each app can be configured with, and that bad values are refused with a sentence.
Takes helm from HELM_BIN or the PATH, or fetches it. Exit code 1 when something is wrong. On running servers the same is tried by
npm run scrape-check (boards and alerts), image-check (images) and isolation-check (the decryptor's network).`;

await command(HELP, async (args) => {
  readArguments(args, {});
  const { problems, leftOut } = await deployCheck(ROOT, { isThorough: true });
  return printProblems(
    problems,
    'all is well',
    leftOut.map((sentence) => `not checked: ${sentence}`),
  );
});
