import { z } from 'zod';
import { FILES, KINDS, LEFT_OUT, programVariables, SET_BY_CHART, settingsOf } from './settings.ts';

const Members = z.object({ properties: z.record(z.string(), z.unknown()) });
const Kind = z.object({ properties: z.object({ env: Members, files: Members }) });
const Schema = z.looseObject({ $defs: z.record(z.string(), z.unknown()) });

/** Returns a sentence for each setting that the apps and their programs have and the chart's schema lacks, or the reverse. */
export function settingsProblems(root: string, schema: unknown): string[] {
  const { $defs } = Schema.parse(schema);
  const readers = { ...KINDS, programs: programVariables(root) };
  const all = new Set(Object.values(readers).flat());
  const gone = [...Object.keys(SET_BY_CHART), ...Object.keys(LEFT_OUT), ...FILES].filter((variable) => !all.has(variable));
  return [
    ...Object.entries(readers).flatMap(([kind, variables]) => kindProblems(kind, settingsOf(variables), $defs[`settings-${kind}`])),
    ...gone.map((variable) => `${variable} is a setting of no app: take it out of tools/src/deploy-check/settings.ts.`),
  ];
}

function kindProblems(kind: string, wanted: ReturnType<typeof settingsOf>, definition: unknown): string[] {
  if (definition === undefined) return [`values.schema.json has no settings-${kind}.`];
  const { env, files } = Kind.parse(definition).properties;
  return [
    ...differences(`settings-${kind}.env`, Object.keys(env.properties), wanted.env),
    ...differences(`settings-${kind}.files`, Object.keys(files.properties), wanted.files),
  ];
}

const differences = (at: string, offered: readonly string[], wanted: readonly string[]): string[] => [
  ...wanted
    .filter((name) => !offered.includes(name))
    .map((name) => `values.schema.json: ${at} lacks ${name}. Add it, or say in tools/src/deploy-check/settings.ts why it is left out.`),
  ...offered.filter((name) => !wanted.includes(name)).map((name) => `values.schema.json: ${at} has ${name}, which the app does not read.`),
];
