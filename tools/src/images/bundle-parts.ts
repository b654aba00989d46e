import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const Output = z.looseObject({
  bytes: z.number(),
  inputs: z.record(z.string(), z.unknown()),
  imports: z.array(z.looseObject({ path: z.string(), external: z.boolean().optional() })),
});

/** The file that tools/bundle.mjs writes beside the bundle: the bundle's programs, and what each of its files imports and contains. */
const Parts = z.looseObject({
  entryPoints: z.record(z.string(), z.string()),
  packages: z.array(z.string()).optional(),
  outputs: z.record(z.string(), Output),
});
export type Parts = z.infer<typeof Parts>;

/** The programs of an app by the names they have in its image, with all files of the bundle that they load. */
interface AppParts {
  /** The file of the bundle for each of `main`, `migrate` and `prepare`. */
  programs: Readonly<Record<string, string>>;
  files: readonly string[];
  inputs: readonly string[];
  packages: readonly string[];
}

export const readParts = (root: string): Parts => Parts.parse(JSON.parse(readFileSync(join(root, 'bundle/parts.json'), 'utf8')));

/** Apps that run as services: one image each. The command line is no service. */
export const imageApps = ({ entryPoints }: Parts): string[] =>
  Object.keys(entryPoints)
    .filter((name) => entryPoints[name] === `apps/${name}/dist/main.js` && name !== 'cli')
    .toSorted();

/** Libraries that start a program of their own as a process, by its name. An app that has the library needs the program too. */
const STARTS: Readonly<Record<string, string>> = { 'libs/pdf/dist/pdf-process.js': 'pdf-process-child' };

/** Returns what an app needs of the bundle: its programs and threads, telemetry, and what these import or start. */
export function partsOf({ entryPoints, packages = [], outputs }: Parts, app: string): AppParts {
  const own = Object.entries(entryPoints).filter(([name, source]) => name === 'telemetry' || source.startsWith(`apps/${app}/dist/`));
  const found = new Set<string>();
  const visit = (file: string): void => {
    const output = outputs[file];
    if (!output || found.has(file)) return;
    found.add(file);
    for (const { path } of output.imports) visit(path);
  };
  for (const [name] of own) visit(`bundle/${name}.mjs`);
  const isBundled = (source: string) => [...found].some((file) => source in outputs[file]!.inputs);
  for (const [library, program] of Object.entries(STARTS)) if (isBundled(library)) visit(`bundle/${program}.mjs`);
  const imported = new Set([...found].flatMap((file) => outputs[file]!.imports.map(({ path }) => path)));
  return {
    programs: Object.fromEntries(own.flatMap(([name, source]) => programOf(name, source, app))),
    files: [...found].flatMap((file) => [file, `${file}.map`].filter((path) => path in outputs)),
    inputs: [...new Set([...found].flatMap((file) => Object.keys(outputs[file]!.inputs)))].toSorted(),
    packages: packages.filter((name) => imported.has(name)),
  };
}

/** Names the program of an entry point: `dist/main.js` is `main`; `dist/migrate.js` and `dist/migrate/main.js` are both `migrate`. */
function programOf(name: string, source: string, app: string): [string, string][] {
  const program = new RegExp(`^apps/${app}/dist/(?:(main|[\\w-]+)|([\\w-]+)/main)\\.js$`).exec(source);
  return program ? [[program[1] ?? program[2]!, `bundle/${name}.mjs`]] : [];
}

const LOADED = /createRequire\(import\.meta\.url\)(?:\.resolve)?\(\s*['"`]((?:@[\w.-]+\/)?[\w.-]+)/g;

/** Returns the packages to copy beside the bundle: it imports them, or our code loads them by name. */
export function packagesBeside(root: string, { inputs, packages }: AppParts): string[] {
  const own = inputs.filter((file) => /^(apps|libs|dev)\//.test(file) && existsSync(join(root, file)));
  const names = own.flatMap((file) => [...readFileSync(join(root, file), 'utf8').matchAll(LOADED)].map(([, name]) => name!));
  return [...new Set([...names, ...packages])].toSorted();
}

/** Returns the folders of the packages that went into the bundle: `node_modules/zod`, and packages below other packages. */
export function packagesInside({ inputs }: AppParts): string[] {
  const folders = inputs.map((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]);
  return [...new Set(folders.filter((folder) => folder !== undefined))].toSorted();
}
