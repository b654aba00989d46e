import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

export const LICENCES_FILE = 'docs/licences.md';

/** Licences that ask for no more than to be named, in what is installed to run the service. */
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
  'OFL-1.1', // of fonts: a document that embeds one is free of it
  'Python-2.0', // of argparse, below what converts fonts: permissive, it asks to be named
  'Unlicense',
  'Zlib',
]);
/** Of tools that build and test, and are not handed on. */
const ALLOWED_IN_TOOLS = new Set([...ALLOWED, 'CC-BY-4.0']);

/** Packages whose package.json names no licence in the usual way; read by hand in the package itself. */
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

export interface Installed {
  name: string;
  version: string;
  licence: string;
  /** Whether it is there to build and test alone. */
  isTool: boolean;
}

/** Every package of the lockfile that is not our own. */
export function installedPackages(root: string): Installed[] {
  const { packages } = Lock.parse(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')));
  const own = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
  return own.map(([path, { version = '', license, dev }]) => {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    return { name, version, licence: license ?? READ_BY_HAND[name] ?? 'none', isTool: dev ?? false };
  });
}

const HOW_TO_MEND = 'which is not on the list of tools/src/licences/licences.ts: choose another package, or add it there with a reason.';

/** Packages whose licence nobody has allowed, and a list that is not that of the lockfile. */
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

/** Of alternatives one is enough, of a conjunction all are needed. */
export function isAllowed(licence: string, allowed: ReadonlySet<string>): boolean {
  const plain = licence.replace(/^\((.*)\)$/, '$1');
  return plain.split(' OR ').some((choice) => choice.split(' AND ').every((one) => allowed.has(one)));
}

/** The list for whoever hands the service on: what is installed to run it, by licence. */
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
