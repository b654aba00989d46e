import { command, readArguments, readNumber } from '@codase/command-line';
import { ROOT } from '../command/root.ts';
import { percent, scoreOf, summary, survivors } from './score.ts';
import { targetsOf } from './targets.ts';

const HELP = `npm run mutate [-- NAME…] [options]   changes the source in small ways and shows which changes no test notices

  NAME         libraries or files: crypto, libs/crypto/src/der.ts, libs/crypto/src/der.ts:10-20; a file of an app is tried by the specs of
               its folder. By default crypto, domain, and the guard of requests between regions
  --bar N      exit code 1 when a score is below N percent
  --constants  also change what runs while a file is loaded (constants, tables), and try it on every test that loads the file
  --fresh      try every mutant again; otherwise results of unchanged source and tests are taken from reports/mutation

It lists the surviving mutants and closes with the score of each library and folder.`;

await command(HELP, async (args) => {
  const { values, positionals } = readArguments(args, {
    bar: { type: 'string' },
    constants: { type: 'boolean' },
    fresh: { type: 'boolean' },
  });
  const bar = readNumber('--bar', values.bar) ?? 0;
  const targets = targetsOf(positionals, ROOT);
  const { runStryker } = await import('./run-stryker.ts'); // heavy: loaded when it is really needed
  process.chdir(ROOT); // Stryker copies the folder it runs in
  const scores: { name: string; score: number | undefined }[] = [];
  for (const target of targets) {
    const mutants = await runStryker(target, {
      fresh: values.fresh ?? false,
      constants: values.constants ?? false,
      terminal: process.stdout.isTTY,
    }).catch(() => undefined);
    if (!mutants) {
      console.error(`${target.name}: Stryker gave up, its message is above. First npm test -- ${target.specs} must be green.`);
      return 1;
    }
    console.log([`\n${target.name}: ${summary(mutants)}`, ...survivors(mutants, ROOT)].join('\n'));
    scores.push({ name: target.name, score: scoreOf(mutants) });
  }
  const low = scores.filter(({ score }) => (score ?? 0) < bar);
  if (low.length) console.error(`below ${bar} %: ${low.map(({ name }) => name).join(', ')}: write tests that notice the mutants above`);
  console.log(`mutation score: ${scores.map(({ name, score }) => `${name} ${percent(score)}`).join(', ')}`);
  return low.length ? 1 : 0;
});
