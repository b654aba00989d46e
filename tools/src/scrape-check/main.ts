import { command, readArguments } from '@codase/command-line';
import { ROOT } from '../command/root.ts';
import { untilInterrupted } from '../command/run.ts';
import { findPrometheus, programsFolder } from '../deploy-check/programs.ts';
import { scrapeCheck } from './scrape-check.ts';

const HELP = `npm run scrape-check   asks a real Prometheus all that boards and alerts ask

Starts a stack of npm start in a temporary folder, lets edits, tokens, webhooks and logins flow, scrapes every service, and runs the
expression of every panel and alert: each must find series, and none may be NaN. Exemplars must lead to traces that were recorded.
Takes prometheus from the PATH or from Debian's package. Two minutes. Exit code 1 when something is wrong.`;

await command(HELP, async (args) => {
  readArguments(args, {});
  const found = await findPrometheus(programsFolder(ROOT));
  if ('missing' in found) {
    console.error(`not checked: ${found.missing}`);
    return 1;
  }
  return untilInterrupted(
    (signal) => scrapeCheck(ROOT, found.path, signal, (line) => console.error(line)),
    ({ queries, problems }) => {
      for (const problem of problems) console.error(problem);
      console.log(`${queries} questions, ${problems.length} problems`);
      return problems.length ? 1 : 0;
    },
  );
});
