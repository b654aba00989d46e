const { createHash } = require('node:crypto');
const { join } = require('node:path');

/** Where what a source is compiled to is kept, by content. Its path counts too, because the source map names it. */
exports.compiledPath = (folder, file, source, swc) =>
  join(
    folder,
    `${createHash('sha1')
      .update(JSON.stringify([file, source, swc]))
      .digest('hex')}.mjs`,
  );
