// The order in which spec files run. Jest begins with the files that took longest in the run before. When it knows no earlier run, as in a
// fresh clone, files that took long elsewhere come first (long-files.json has their seconds), and then files that start whole stacks. A
// long file that begins last would leave the other workers idle.
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
