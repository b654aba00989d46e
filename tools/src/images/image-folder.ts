import { cpSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { packagesBeside, packagesInside, partsOf, readParts } from './bundle-parts.ts';
import { foldersOf } from './package-folders.ts';
import { sbomOf } from './sbom.ts';

/** Files of a package that nothing loads. */
const NOT_LOADED = /\.(map|md|markdown|d\.[cm]?ts|ts)$|\/(test|tests|node_modules|\.github)$/;

/** Writes the folder `/app` of an image: programs, what they import, packages beside, bill of materials. Returns its bytes. */
export function writeImageFolder(root: string, app: string, out: string): number {
  const parts = partsOf(readParts(root), app);
  if (!parts.programs.main) throw new Error(`There is no app ${app} that runs as a service.`);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  for (const file of parts.files) cpSync(join(root, file), join(out, basename(file)));
  for (const [program, file] of Object.entries(parts.programs)) {
    writeFileSync(join(out, `${program}.js`), `import './${basename(file)}';\n`);
  }
  const beside = foldersOf(root, packagesBeside(root, parts));
  for (const [name, folder] of beside) copyPackage(join(root, folder), join(out, 'node_modules', name));
  writeFileSync(join(out, 'package.json'), `${JSON.stringify({ name: `codase-${app}`, private: true, type: 'module' })}\n`);
  const packages = [...packagesInside(parts), ...beside.values()];
  writeFileSync(join(out, 'sbom.cdx.json'), `${JSON.stringify(sbomOf(root, app, packages), null, 1)}\n`);
  return bytesBelow(out);
}

function copyPackage(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true, filter: (path) => !NOT_LOADED.test(path.slice(from.length)) });
}

const bytesBelow = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
