import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const Packages = z.record(
  z.string(),
  z.looseObject({
    version: z.string().optional(),
    optionalDependencies: z.record(z.string(), z.string()).optional(),
    hasInstallScript: z.boolean().optional(),
  }),
);
const Manifest = z.looseObject({ allowScripts: z.record(z.string(), z.boolean()).default({}) });
const Lock = z.looseObject({ packages: Packages });
type Packages = z.infer<typeof Packages>;

/**
 * Returns a sentence for each package whose companions for other systems the lockfile lacks. npm writes only what its registry had: a
 * native package without its binaries for macOS, Windows or musl can be installed here and fails there.
 */
export function incompleteLock(root: string): string[] {
  const { packages } = Lock.parse(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')));
  return Object.entries(packages).flatMap(([path, { version, optionalDependencies = {} }]) => {
    const missing = Object.keys(optionalDependencies).filter((name) => !isLocked(name, path, packages));
    return missing.length
      ? [`package-lock.json lacks ${missing.join(', ')} of ${path || 'the root'}@${version}: lock a version that has them, or override it.`]
      : [];
  });
}

/** Whether Node would find the package from that path: in its own node_modules or in those of a folder above. */
function isLocked(name: string, from: string, packages: Packages): boolean {
  const above = from.includes('/node_modules/') ? from.slice(0, from.lastIndexOf('/node_modules/')) : '';
  return `${from ? `${from}/` : ''}node_modules/${name}` in packages || (from !== '' && isLocked(name, above, packages));
}

/**
 * Returns a sentence for each package with an install script that `allowScripts` of package.json does not list, or lists to be run. Such a
 * script would run with the rights of whoever installs; none has to, since `npm ci` runs without them.
 */
export function installScripts(root: string): string[] {
  const read = (file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'));
  const { packages } = Lock.parse(read('package-lock.json'));
  const { allowScripts } = Manifest.parse(read('package.json'));
  const names = new Set(
    Object.entries(packages).flatMap(([path, { hasInstallScript }]) =>
      hasInstallScript ? [path.slice(path.lastIndexOf('node_modules/') + 13)] : [],
    ),
  );
  const ruled = new Map(Object.entries(allowScripts));
  return [
    ...[...names]
      .filter((name) => !ruled.has(name))
      .map(
        (name) => `${name} has an install script: read it, see that the package works without it, and list it in allowScripts as false.`,
      ),
    ...[...ruled].flatMap(([name, isRun]) => {
      if (isRun) return [`allowScripts lets ${name} run its install script: nothing here needs one, so write false.`];
      return names.has(name) ? [] : [`allowScripts lists ${name}, which has no install script: take the line out.`];
    }),
  ];
}
