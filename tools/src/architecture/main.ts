import { command, readArguments } from '@cds/command-line';
import { ROOT } from '../command/root.ts';
import { CAPABILITIES, RULES, type Rule } from './rules.ts';
import { violations } from './violations.ts';

const HELP = `node tools/run.mjs architecture [--table]   checks who imports whom

  --table   print the rules instead of checking them

Exit code 1 when an import breaks a rule. The rules are in tools/src/architecture/rules.ts.`;

await command(HELP, async (args) => {
  if (readArguments(args, { table: { type: 'boolean' } }).values.table) {
    const list = (may: Rule['may']) => (may === 'anything' ? may : may.join(', '));
    for (const { who, may, why } of RULES) console.log(`${who}\n  may import ${list(may)}\n  because ${why}\n`);
    console.log(`capabilities of the platform, highest first\n  ${CAPABILITIES.map((line) => line.join(', ')).join('\n  ')}`);
    return 0;
  }
  const found = violations(ROOT);
  for (const sentence of found) console.error(sentence);
  console.log(found.length ? `${found.length} imports break a rule` : 'every import keeps the rules');
  return found.length ? 1 : 0;
});
