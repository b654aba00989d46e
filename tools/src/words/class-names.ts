import { basename } from 'node:path';
import type { Source } from '../architecture/sources.ts';

/** Files whose suffix says what their class does with the outside world. A store may export functions beside its class. */
const OF_ONE_CLASS = /^(apps|libs)\/.*\.(http|bus|service|worker|hook)\.ts$/;
/** Where no class is named with a gerund. */
const OF_THE_PRODUCT = /^(apps|libs)\/(?!.*(\.spec\.ts$|\/test\/))/;
const NO_GERUNDS: ReadonlySet<string> = new Set(['Keyring', 'Outgoing']);
/** Files with another name than their class, each with the reason. */
const OWN_NAMES: Readonly<Record<string, string>> = {
  'apps/platform/src/agreements/documents/act-file.service.ts': 'the class stands for the file of one act',
  'apps/platform/src/agreements/documents/holder-documents.service.ts': 'the name is older than the rule',
};

/** Returns a sentence for each class whose file has another name, and for each class that is named with a gerund. */
export const classNameProblems = (sources: readonly Source[]): string[] =>
  sources.filter(({ file }) => !(file in OWN_NAMES)).flatMap((source) => [...fileProblems(source), ...gerundProblems(source)]);

function fileProblems({ file, declared: { classes } }: Source): string[] {
  const suffix = OF_ONE_CLASS.exec(file)?.[2];
  if (suffix === undefined || classes.length !== 1) return [];
  const [name, stem] = [kebab(classes[0]!), basename(file, `.${suffix}.ts`)];
  if (name === stem || name === `${stem}-${suffix}`) return [];
  const wanted = `${name.replace(new RegExp(`-${suffix}$`), '')}.${suffix}.ts`;
  return [`${file}: its one class is ${classes[0]}: name the file ${wanted}, or the class as the file.`];
}

function gerundProblems({ file, declared: { classes } }: Source): string[] {
  if (!OF_THE_PRODUCT.test(file)) return [];
  const gerunds = classes.filter((name) => name.endsWith('ing') && !NO_GERUNDS.has(name));
  return gerunds.map(
    (name) => `${file}: the class ${name} is a gerund: name it by who does it (RunStarter), or by what there is (RunStarts).`,
  );
}

const kebab = (name: string) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1-$2')
    .toLowerCase();
