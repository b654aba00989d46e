import { join } from 'node:path';
import { manifestIn } from './package-folders.ts';

/** Returns the bill of materials of an image without its base, in CycloneDX. The same packages always give the same result. */
export function sbomOf(root: string, app: string, folders: readonly string[]): object {
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
