import { CHECK_RULES } from './checks.ts';
import { ENVELOPE_MEMBERS } from './envelope.ts';
import { inherited, lineageOf, parentOf, tableOf, type RowTable } from './lineage.ts';
import { patternFault } from './pattern.ts';
import { CHECKS, INPUTS, PLUGIN, type Check, type FieldEntry, type FieldTypeRow, type Input, type Lane } from './row.ts';

/** What is wrong with one row, and how to correct it. */
export interface Finding {
  readonly type: string;
  readonly message: string;
}

/** Returns all that is wrong with the rows: with the tree of types or, when the tree is right, with the definitions. @spec D1-2.5 */
export function rowFindings(rows: readonly FieldTypeRow[]): readonly Finding[] {
  const table = tableOf(rows);
  const tree = rows.flatMap((row) => found(row, treeFaults(row, table)));
  return tree.length > 0 ? tree : rows.flatMap((row) => found(row, definitionFaults(row, lineageOf(table, row))));
}

/** Returns the rows that can be used. The other types, and their descendants, are then unknown and accept any value. @spec D1-9 */
export function soundRows(rows: readonly FieldTypeRow[]): readonly FieldTypeRow[] {
  const faulty = new Set(rowFindings(rows).map(({ type }) => type));
  return faulty.size === 0 ? rows : soundRows(rows.filter(({ type }) => !faulty.has(type)));
}

type Faults = readonly (string | false | undefined)[];

const found = ({ type }: FieldTypeRow, faults: Faults): Finding[] =>
  faults.filter((fault) => typeof fault === 'string').map((fault) => ({ type, message: `field type "${type}" ${fault}` }));

function treeFaults(row: FieldTypeRow, table: RowTable): Faults {
  const { type, parent } = row;
  const [root] = lineageOf(table, row);
  return [
    type === PLUGIN && 'is reserved for plugin answers: choose another name',
    table.get(type) !== row && 'has several rows: keep one',
    parent !== null && !table.has(parent) && `names the parent "${parent}", which has no row: add it or correct the name`,
    root !== undefined && parentOf(table, root) !== undefined && 'has ancestors that run in a circle: let one of them be a root',
  ];
}

const LANES_OF: Readonly<Partial<Record<Input, readonly Lane[]>>> = { file: ['photo', 'document'], pages: ['document'] };
const HOLDERS: readonly Input[] = ['composite', 'file', 'pages'];

function definitionFaults(row: FieldTypeRow, lineage: readonly FieldTypeRow[]): Faults {
  const input = inherited(lineage, 'input');
  if (input === null || !INPUTS.includes(input)) return [`has no known input: set one of ${INPUTS.join(', ')}`];
  const lanes = LANES_OF[input] ?? ['inline'];
  const fields = inherited(lineage, 'fields') ?? [];
  return [
    !lanes.includes(inherited(lineage, 'lane') ?? 'inline') && `cannot be "${input}" on its lane: set the lane to ${lanes.join(' or ')}`,
    checkFault(inherited(lineage, 'check'), input),
    input === 'composite' && fields.length === 0 && 'is composite but declares no fields: add them',
    fields.length > 0 && !HOLDERS.includes(input) && `cannot hold fields as "${input}": make it ${HOLDERS.join(', ')} or leave them out`,
    regexFault(row.validation),
    ...fieldsFaults(row.fields ?? [], input),
  ];
}

function fieldsFaults(fields: readonly FieldEntry[], holder: Input): Faults {
  const reserved = holder === 'composite' ? [] : ENVELOPE_MEMBERS;
  return fields.flatMap((field, i) => {
    const taken = [...reserved, ...fields.slice(0, i).map(({ key }) => key)];
    return entryFaults(field, taken).map((fault) => fault && `has the field "${field.key}", which ${fault}`);
  });
}

function entryFaults({ key, input, check, validation }: FieldEntry, taken: readonly string[]): Faults {
  return [
    taken.includes(key) && 'is called like another, or like a member of the envelope: choose another key',
    (!INPUTS.includes(input) || HOLDERS.includes(input)) && 'has no input a field can have: set one that is no composite and no file',
    checkFault(check, input),
    regexFault(validation),
  ];
}

function checkFault(check: Check | null, input: Input): string | undefined {
  if (check === null) return undefined;
  if (!CHECKS.includes(check)) return `has an unknown check: set one of ${CHECKS.join(', ')}`;
  return CHECK_RULES[check].inputs.includes(input) ? undefined : `cannot have the check "${check}" as "${input}": change one of them`;
}

function regexFault(source: string | null): string | undefined {
  const fault = source === null ? undefined : patternFault(source);
  return fault && `has a validation that ${fault}`;
}
