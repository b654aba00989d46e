import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

export const LICENCES_FILE = 'docs/licences.md';

/** The licences that are allowed for packages which are installed to run the service: they ask for no more than to be named. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'OFL-1.1', // of fonts: it does not extend to a document that embeds one
  'Python-2.0', // of argparse, which the font converter needs: permissive, it asks to be named
  'Unlicense',
  'Zlib',
]);
/** The licences that are allowed for tools, which build and test and are not distributed. */
const ALLOWED_IN_TOOLS = new Set([...ALLOWED, 'CC-BY-4.0', 'PSF-2.0']); // PSF-2.0, of Python: permissive, it asks to be named

/** Packages whose package.json names no licence in the usual way. A person has read the licence in the package itself. */
const READ_BY_HAND: Readonly<Record<string, string>> = {
  buildcheck: 'MIT',
  'cpu-features': 'MIT',
  ssh2: 'MIT',
  busboy: 'MIT',
  'humanize-number': 'MIT',
  only: 'MIT',
  streamsearch: 'MIT',
};

const Lock = z.looseObject({
  packages: z.record(
    z.string(),
    z.looseObject({
      version: z.string().optional(),
      license: z.string().optional(),
      dev: z.boolean().optional(),
      link: z.boolean().optional(),
    }),
  ),
});

interface Installed {
  name: string;
  version: string;
  licence: string;
  /** Whether the package is installed only to build and test. */
  isTool: boolean;
}

export function installedPackages(root: string): Installed[] {
  const { packages } = Lock.parse(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')));
  const own = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
  return own.map(([path, { version = '', license, dev }]) => {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    return { name, version, licence: license ?? READ_BY_HAND[name] ?? 'none', isTool: dev ?? false };
  });
}

const HOW_TO_MEND = 'which is not on the list of tools/src/licences/licences.ts: choose another package, or add it there with a reason.';

/** Returns a sentence for each package whose licence is not allowed, and one when the list of licences does not fit the lockfile. */
export function licenceProblems(root: string): string[] {
  const installed = installedPackages(root);
  const refused = installed.filter(({ licence, isTool }) => !isAllowed(licence, isTool ? ALLOWED_IN_TOOLS : ALLOWED));
  const file = join(root, LICENCES_FILE);
  const isCurrent = existsSync(file) && readFileSync(file, 'utf8') === licencesText(installed);
  return [
    ...refused.map(({ name, version, licence }) => `${name}@${version} has the licence ${licence}, ${HOW_TO_MEND}`),
    ...(isCurrent ? [] : [`${LICENCES_FILE} is not current: npm run licences -- --write`]),
  ];
}

/** Whether a licence is allowed: of alternatives (`OR`) one is enough, of a conjunction (`AND`) all are needed. */
export function isAllowed(licence: string, allowed: ReadonlySet<string>): boolean {
  const plain = licence.replace(/^\((.*)\)$/, '$1');
  return plain.split(' OR ').some((choice) => choice.split(' AND ').every((one) => allowed.has(one)));
}

/** Returns the list for a company that distributes the service: what is installed to run it, by licence. */
export function licencesText(installed: readonly Installed[]): string {
  const running = installed.filter(({ isTool }) => !isTool);
  const licences = [...new Set(running.map(({ licence }) => licence))].toSorted();
  const namesOf = (licence: string) => [
    ...new Set(running.filter((one) => one.licence === licence).map(({ name, version }) => `${name} ${version}`)),
  ];
  const parts = licences.map(
    (licence) =>
      `## ${licence}\n\n${namesOf(licence)
        .toSorted()
        .map((name) => `- ${name}`)
        .join('\n')}\n`,
  );
  const how =
    'Written by `npm run licences -- --write` from the lockfile; `npm test` checks it. Packages that only build and test are left out.';
  return `# Licences of what is installed\n\n${how}\n\n${parts.join('\n')}`;
}
