// In which order spec files run. Jest begins with those that took longest in the run before. Where it knows of none, as in a fresh clone,
// files that start whole stacks come first: a long file that begins last leaves the other workers idle.
const { relative } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

const LONG = [/^e2e\//, /^tools\/test\//, /^(apps|examples)\/[^/]+\/test\//, /^libs\/[^/]+\/test\//];

module.exports = class LongFilesFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    return sorted.some(({ duration }) => duration !== undefined) ? sorted : sorted.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
};

function rankOf({ path, context }) {
  const rank = LONG.findIndex((folder) => folder.test(relative(context.config.rootDir, path)));
  return rank === -1 ? LONG.length : rank;
}
