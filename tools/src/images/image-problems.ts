import { statSync } from 'node:fs';
import { join } from 'node:path';
import { imageApps, packagesBeside, packagesInside, partsOf, type Parts } from './bundle-parts.ts';
import { foldersOf } from './package-folders.ts';

/** How large an app's files may be in an image, in megabytes, without the base and copied packages: a tenth above what they are. */
const BUDGETS_MB: Readonly<Record<string, number>> = {
  decryptor: 9,
  'feed-consumer': 12,
  flows: 13,
  gateway: 9,
  platform: 18.5,
  twofa: 12,
};

/** Packages that must not come near private keys: drivers of databases, and what loads one. */
const NOT_IN: Readonly<Record<string, readonly string[]>> = {
  decryptor: ['pg', 'typeorm', 'pg-pool', 'pg-protocol'],
  gateway: ['pg', 'typeorm'],
};

/** Returns a sentence for each fault of the images that the bundle would make. */
export function imageProblems(root: string, parts: Parts, budgets = BUDGETS_MB): string[] {
  return imageApps(parts).flatMap((app) => [...sizeProblems(root, parts, app, budgets), ...packageProblems(root, parts, app)]);
}

function sizeProblems(root: string, parts: Parts, app: string, budgets: typeof BUDGETS_MB): string[] {
  const budget = budgets[app];
  if (budget === undefined) return [`The image of ${app} has no budget: give it one in tools/src/images/image-problems.ts.`];
  const megabytes = partsOf(parts, app).files.reduce((sum, file) => sum + statSync(join(root, file)).size, 0) / 1e6;
  return megabytes <= budget
    ? []
    : [`The image of ${app} has ${megabytes.toFixed(1)} MB of code, and ${budget} MB are its budget: what came in, and is it needed?`];
}

function packageProblems(root: string, parts: Parts, app: string): string[] {
  const own = partsOf(parts, app);
  const inside = packagesInside(own).map((folder) => folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length));
  const names = new Set([...inside, ...foldersOf(root, packagesBeside(root, own)).keys()]);
  return (NOT_IN[app] ?? [])
    .filter((name) => names.has(name))
    .map((name) => `The image of ${app} has the package ${name}, which it must not have: see who imports it (bundle/parts.json).`);
}
