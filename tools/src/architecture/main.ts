import { command, readArguments } from '@codase/command-line';
import { ROOT } from '../command/root.ts';
import { arrowsOf, type Arrow } from './districts.ts';
import { architectureProblems } from './problems.ts';
import { DISTRICTS, RULES, type Rule } from './rules.ts';
import { readSources } from './sources.ts';
import { manifestsOf } from './violations.ts';

const HELP = `node tools/run.mjs architecture [--table]   checks which files import which, and which tables SQL statements use

  --table   print the rules instead of checking them

Exit code 1 when something breaks a rule. The rules are in tools/src/architecture/rules.ts; what a capability of the platform
may use, owns and reads is in its capability.ts.`;

const GENERAL_RULES = [
  'no file and no capability is part of a cycle of imports, those of types included',
  'a district of the platform imports only the districts that the list in rules.ts names, and the list has no cycle',
  'a capability imports the index.ts of the capabilities that its manifest says it uses, and no other file of theirs',
  'only the capability that owns a table imports its entity as a value; others import the type of its rows',
  'a statement of SQL names tables of its own capability; one of another only to read it, where the manifest declares it with a reason',
  'what is retried, repeated or polled goes through @codase/runtime/resilience: no other source waits in a loop or sets an interval',
  'a metric is declared once, in the metrics.ts of the folder that counts it',
  'every export of a file is imported by another file, but for the entry points of packages',
];

const listOrNone = (names: readonly string[]) => names.join(', ') || 'none';

function printDistricts(arrows: readonly Arrow[]) {
  for (const district of Object.keys(DISTRICTS)) {
    const own = arrows.filter(({ from }) => from === district).map(({ to, imports }) => `${to} (${imports})`);
    console.log(`district ${district}\n  imports ${listOrNone(own)}`);
  }
  console.log(`${arrows.length} arrows between ${Object.keys(DISTRICTS).length} districts\n`);
}

await command(HELP, async (args) => {
  if (readArguments(args, { table: { type: 'boolean' } }).values.table) {
    const list = (may: Rule['may']) => (may === 'anything' ? may : may.join(', '));
    for (const { who, may, why } of RULES) console.log(`${who}\n  may import ${list(may)}\n  because ${why}\n`);
    for (const sentence of GENERAL_RULES) console.log(`${sentence}\n`);
    const sources = readSources(ROOT);
    printDistricts(arrowsOf(sources));
    for (const { capability, uses, tables, reads } of manifestsOf(sources)) {
      console.log(`capability ${capability}\n  uses ${listOrNone(uses)}`);
      console.log(`  owns the tables ${listOrNone(tables)}\n  reads tables of others: ${listOrNone(reads)}\n`);
    }
    return 0;
  }
  const found = architectureProblems(ROOT, readSources(ROOT));
  for (const sentence of found) console.error(sentence);
  console.log(found.length ? `${found.length} violations of the rules` : 'every import and every statement keeps the rules');
  return found.length ? 1 : 0;
});
