// Jest as mutation testing runs it: small tests only, so no servers, and every @cds package from the mutated copy rather
// than from node_modules, whose links lead to the unmutated original.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import base from '../../jest.config.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

export default {
  ...base,
  rootDir: root,
  globalSetup: undefined,
  globalTeardown: undefined,
  moduleNameMapper: Object.fromEntries(readdirSync(join(root, 'libs')).flatMap(doorsOf)),
};

/** The doors of a library: what its package.json exports, under their full names, at their sources. */
function doorsOf(lib) {
  const file = join(root, 'libs', lib, 'package.json');
  if (!existsSync(file)) return [];
  const { name, exports } = JSON.parse(readFileSync(file, 'utf8'));
  return Object.entries(exports ?? {})
    .filter(([, door]) => typeof door.source === 'string')
    .map(([path, door]) => [`^${name}${path.slice(1)}$`, `<rootDir>/libs/${lib}/${door.source}`]);
}
