import type { Definition, Entry, Pattern } from './definition.ts';
import { kindOf, type Kind } from './kind.ts';
import { inherited, lineageOf, tableOf } from './lineage.ts';
import { compilePattern } from './pattern.ts';
import { rowFindings, type Finding } from './row-findings.ts';
import type { FieldEntry, FieldTypeRow, Lane } from './row.ts';

/** The registry, resolved and compiled once. An unknown type has no definition. @spec D1-2.5 */
export interface FieldTypes {
  resolve(type: string): Definition | undefined;
  /** Whether the type descends from the ancestor. No type descends from itself. */
  descends(type: string, ancestor: string): boolean;
  /** Whether a request slot accepts a person's field: one of the same type, or of a type that descends from it. @spec D1-2.5 */
  accepts(slotType: string, fieldType: string): boolean;
  laneOf(type: string): Lane | undefined;
  /** Whether values of the type are files, fetched from the binary endpoint. @spec D1-2.8 */
  isBinary(type: string): boolean;
  /** Whether a request field may have the type: any type except a choice without options, which only a flow step supplies. @spec D2-4.2 */
  isRequestable(type: string): boolean;
  /** How expressions, comparisons and bounds see the type. */
  kindOf(type: string): Kind;
}

/** The error for rows that are no valid registry. Its message lists everything that has to be corrected. */
export class RegistryFault extends Error {
  constructor(readonly findings: readonly Finding[]) {
    super(findings.map(({ message }) => message).join('\n'));
    this.name = 'RegistryFault';
  }
}

/** Builds the registry from its rows, or throws a RegistryFault. @spec D1-2.5 */
export function fieldTypes(rows: readonly FieldTypeRow[]): FieldTypes {
  const findings = rowFindings(rows);
  if (findings.length > 0) throw new RegistryFault(findings);
  const table = tableOf(rows);
  const definitions = new Map(rows.map((row) => [row.type, define(lineageOf(table, row))]));

  const resolve = (type: string) => definitions.get(type);
  const descends = (type: string, ancestor: string) => type !== ancestor && resolve(type)?.lineage.includes(ancestor) === true;
  const laneOf = (type: string) => resolve(type)?.lane;
  return {
    resolve,
    descends,
    accepts: (slotType, fieldType) => slotType === fieldType || descends(fieldType, slotType),
    laneOf,
    isBinary: (type) => (laneOf(type) ?? 'inline') !== 'inline',
    isRequestable: (type) => {
      const definition = resolve(type);
      return definition !== undefined && !isOpenChoice(definition);
    },
    kindOf: (type) => kindOf(resolve(type)),
  };
}

/** Whether the type is a choice without options, which a flow step supplies. @spec D2-4.2 */
export const isOpenChoice = ({ input, options }: Definition): boolean => (input === 'list' || input === 'multilist') && !options?.length;

/** Compiles a type. It takes each column from the nearest ancestor that sets it, and the regexes of all ancestors. @spec D1-2.5 */
function define(lineage: readonly FieldTypeRow[]): Definition {
  return {
    type: lineage.at(-1)!.type,
    lineage: lineage.map(({ type }) => type),
    input: inherited(lineage, 'input')!,
    lane: inherited(lineage, 'lane') ?? 'inline',
    check: inherited(lineage, 'check'),
    options: inherited(lineage, 'options'),
    entries: (inherited(lineage, 'fields') ?? []).map(entryOf),
    patterns: lineage.flatMap(({ type, validation }) => patternsOf(type, validation)),
  };
}

const entryOf = ({ key, required, input, check, options, validation }: FieldEntry): Entry => ({
  key,
  required,
  shape: { input, lane: 'inline', check, options, entries: [], patterns: patternsOf(key, validation) },
});

const patternsOf = (of: string, validation: string | null): Pattern[] =>
  validation === null ? [] : [{ of, regex: compilePattern(validation) }];
