export interface Text {
  file: string;
  text: string;
}

/** A decorator of an entry point, on a method or called as a function. */
const ENTRY_POINT = /^\s*@?(Answers|Consumes|MessagePattern|EventPattern)\(/m;
const IN_APP = /^apps\/[^/]+\/src\//;
/** The list of controllers in a Nest module, or of bus controllers in a capability's manifest. */
const LIST = /\b(?:controllers|bus): \[([^\]]*)\]/g;
const CLASS = /@Controller\(\)\s*export class (\w+)/g;
/** A controller inside a function, which makes one for each call. Manifests list the calls. */
const MADE_CLASS = /^export function .*[^]*?^ +@Controller\(\)\s*class \w+/m;

/** Returns entry points of the bus outside of `.bus.ts` controllers, and controllers that no list has: Nest ignores these silently. */
export function busViolations(texts: readonly Text[]): string[] {
  const apps = texts.filter(({ file }) => IN_APP.test(file) && !/\.(spec|check)\.ts$/.test(file));
  return [...apps.flatMap(misplaced), ...apps.flatMap(({ file, text }) => unlisted(file, text, apps))];
}

function misplaced({ file, text }: Text): string[] {
  const found = ENTRY_POINT.exec(text)?.[1];
  if (!file.endsWith('.bus.ts')) return found ? [`${file} has @${found}, but entry points of the bus stand in .bus.ts files.`] : [];
  return classesIn(text).length > 0 || MADE_CLASS.test(text)
    ? []
    : [`${file} has no @Controller() class, but a .bus.ts file is a controller.`];
}

function unlisted(file: string, text: string, apps: readonly Text[]): string[] {
  if (!file.endsWith('.bus.ts')) return [];
  const app = IN_APP.exec(file)![0];
  const lists = apps
    .filter((other) => other.file !== file && other.file.startsWith(app))
    .flatMap((other) => [...other.text.matchAll(LIST)].map(([, list]) => list!));
  return classesIn(text)
    .filter((name) => !lists.some((list) => new RegExp(`\\b${name}\\b`).test(list)))
    .map((name) => `${file}: no module or manifest lists ${name}, so nothing answers there.`);
}

const classesIn = (text: string): string[] => [...text.matchAll(CLASS)].map(([, name]) => name!);
