import { command, readArguments } from '@cds/command-line';
import { ROOT } from '../command/root.ts';
import { RULES, type Rule } from './rules.ts';
import { readManifests, violations } from './violations.ts';

const HELP = `node tools/run.mjs architecture [--table]   checks who imports whom, and whose tables statements name

  --table   print the rules instead of checking them

Exit code 1 when something breaks a rule. The rules are in tools/src/architecture/rules.ts; what a capability of the platform
may use, owns and reads is in its capability.ts.`;

const GENERAL = [
  'no file and no capability is part of a cycle of imports, those of types included',
  'a capability imports the index.ts of the capabilities that its manifest says it uses, and no other file of theirs',
  'a statement of SQL names tables of its own capability; one of another only to read it, where the manifest declares it with a reason',
  'what is retried, repeated or polled goes through @cds/runtime/resilience: no other source waits in a loop, doubles or sets an interval',
  'a metric is declared once, in the metrics.ts of the folder that counts it',
];

const words = (names: readonly string[]) => names.join(', ') || 'none';

await command(HELP, async (args) => {
  if (readArguments(args, { table: { type: 'boolean' } }).values.table) {
    const list = (may: Rule['may']) => (may === 'anything' ? may : may.join(', '));
    for (const { who, may, why } of RULES) console.log(`${who}\n  may import ${list(may)}\n  because ${why}\n`);
    for (const sentence of GENERAL) console.log(`${sentence}\n`);
    for (const { capability, uses, tables, reads } of readManifests(ROOT)) {
      console.log(
        `capability ${capability}\n  uses ${words(uses)}\n  owns the tables ${words(tables)}\n  reads of others ${words(reads)}\n`,
      );
    }
    return 0;
  }
  const found = violations(ROOT);
  for (const sentence of found) console.error(sentence);
  console.log(found.length ? `${found.length} times a rule is broken` : 'every import and every statement keeps the rules');
  return found.length ? 1 : 0;
});
