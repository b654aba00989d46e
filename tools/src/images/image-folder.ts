import { cpSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { packagesBeside, packagesInside, partsOf, readParts } from './bundle-parts.ts';
import { foldersOf, manifestIn } from './package-folders.ts';

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

/** Returns the bill of materials of an image without its base, in CycloneDX. The same packages always give the same result. */
function sbomOf(root: string, app: string, folders: readonly string[]): object {
  const packages = folders.map((folder) => manifestIn(join(root, folder)));
  const components = new Map(packages.map((manifest) => [purlOf(manifest), manifest]));
  const { version } = manifestIn(root);
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': `codase-${app}`, name: `codase-${app}`, version } },
    components: [...components]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([purl, manifest]) => ({
        type: 'library',
        'bom-ref': purl,
        name: manifest.name,
        version: manifest.version,
        purl,
        ...(manifest.license && { licenses: [{ license: { name: manifest.license } }] }),
      })),
  };
}

const purlOf = ({ name, version }: { name: string; version: string }): string => `pkg:npm/${name.replace('@', '%40')}@${version}`;
