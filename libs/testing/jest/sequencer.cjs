// In which order spec files run. Jest begins with those that took longest in the run before. Where it knows of none, as in a fresh clone,
// those that took long elsewhere begin (long-files.json has their seconds), and then those that start whole stacks: a long file that
// begins last leaves the other workers idle.
const { relative } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');
const LONG_FILES = require('./long-files.json');

const LONG_FOLDERS = [/^e2e\//, /^tools\/test\//, /^(apps|examples)\/[^/]+\/test\//, /^libs\/[^/]+\/test\//];

module.exports = class LongFilesFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted;
    return sorted.toSorted((a, b) => secondsOf(b) - secondsOf(a) || rankOf(a) - rankOf(b));
  }
};

const pathOf = ({ path, context }) => relative(context.config.rootDir, path);

const secondsOf = (test) => LONG_FILES[pathOf(test)] ?? 0;

function rankOf(test) {
  const rank = LONG_FOLDERS.findIndex((folder) => folder.test(pathOf(test)));
  return rank === -1 ? LONG_FOLDERS.length : rank;
}
