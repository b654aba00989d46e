import { posix } from 'node:path';
import type { Text } from './bus-controllers.ts';

const DECLARES = /^(apps|libs)\/[^/]+\/src\/(.*\/)?metrics\.ts$/;
const SHOWS = /^tools\/src\/board\//;
/** The declaration of a metric: its member of the constant `METRICS`, and the name that dashboards use. */
const METRIC = /^ {2}(\w+): (?:\{\s*name: |(?:counter|gauge|level|histogram)\(\s*)'([\w.]+)'/gm;

interface Declared {
  file: string;
  member: string;
  name: string;
}

/** Returns where a metric is not declared once, in the `metrics.ts` of the folder that counts it: uncounted, it looks like a zero. */
export function metricViolations(texts: readonly Text[]): string[] {
  const declared = texts.filter(({ file }) => DECLARES.test(file)).flatMap(declaredIn);
  const isSource = ({ file }: Text) => !DECLARES.test(file) && !/\.(spec|check)\.ts$/.test(file);
  return [
    ...declared.flatMap((metric) => repeated(metric, declared)),
    ...declared.flatMap((one) => unused(one, texts.filter(isSource))),
    ...texts.filter((one) => SHOWS.test(one.file) && isSource(one)).flatMap((one) => unknown(one, declared)),
  ];
}

const declaredIn = ({ file, text }: Text): Declared[] =>
  [...text.matchAll(METRIC)].map(([, member, name]) => ({ file, member: member!, name: name! }));

function repeated(metric: Declared, all: readonly Declared[]): string[] {
  const first = all.find(({ name }) => name === metric.name)!;
  return first === metric ? [] : [`${metric.file} declares the metric ${metric.name}, which ${first.file} declares already.`];
}

/** Returns a sentence when nothing counts the metric: of an app in the folder of its `metrics.ts`, of a library anywhere in it. */
function unused({ file, member, name }: Declared, texts: readonly Text[]): string[] {
  const folder = file.startsWith('libs/') ? file.slice(0, file.indexOf('/src/')) : posix.dirname(file);
  const counts = new RegExp(`METRICS\\.${member}\\b`);
  const isCounted = texts.some((source) => source.file.startsWith(`${folder}/`) && counts.test(source.text));
  return isCounted ? [] : [`${file} declares the metric ${name}, but nothing in ${folder} counts it.`];
}

/** Returns a sentence for each metric that a file shows and no file declares: its figure would stay at zero, and look fine. */
const unknown = ({ file, text }: Text, declared: readonly Declared[]): string[] =>
  [...text.matchAll(/'(codase\.[\w.]+)'/g)].flatMap(([, name]) =>
    declared.some((metric) => metric.name === name) ? [] : [`${file} shows the metric ${name!}, which nobody declares.`],
  );
