/** The vocabulary of the registry, and the shape of its rows on the wire. @spec D1-2.5 */

/** The primitives. A primitive decides how a value is drawn and which shape it has. @spec D1-2.5 */
export const INPUTS = [
  'line',
  'date',
  'list',
  'multilist',
  'country',
  'nationality',
  'state',
  'phone',
  'composite',
  'file',
  'pages',
] as const;
/** The name of a primitive. */
export type Input = (typeof INPUTS)[number];

/** How a value is sent: in the text, or as a file of its own. @spec D1-2.5 */
export const LANES = ['inline', 'photo', 'document'] as const;
/** The name of a lane. */
export type Lane = (typeof LANES)[number];

/** Named checks beyond a regex. @spec D1-2.5 */
export const CHECKS = ['url', 'card', 'number', 'integer', 'decimal', 'float', 'pdf'] as const;
/** The name of a check. */
export type Check = (typeof CHECKS)[number];

/** One sub-field of a composite, or one metadata entry beside a file. @spec D1-2.5 */
export interface FieldEntry {
  readonly key: string;
  readonly input: Input;
  readonly required: boolean;
  readonly check: Check | null;
  readonly validation: string | null;
  readonly options: readonly string[] | null;
}

/** One row of the registry as it is stored. A column that is null is inherited. @spec D1-2.5 */
export interface FieldTypeRow {
  readonly type: string;
  readonly parent: string | null;
  readonly label: string;
  readonly input: Input | null;
  readonly lane: Lane | null;
  readonly check: Check | null;
  readonly options: readonly string[] | null;
  readonly fields: readonly FieldEntry[] | null;
  readonly validation: string | null;
  readonly is_system: boolean;
}

/** The reserved type of plugin answers. No row may have it. @spec D1-2.5 */
export const PLUGIN = 'plugin';

/** Returns a row with the given members. It inherits the others. */
export const row = (type: string, parent: string | null, own: Partial<FieldTypeRow> = {}): FieldTypeRow => ({
  type,
  parent,
  label: type,
  input: null,
  lane: null,
  check: null,
  options: null,
  fields: null,
  validation: null,
  is_system: false,
  ...own,
});

/** Returns an entry, by default an optional line of text. */
export const entry = (key: string, own: Partial<FieldEntry> = {}): FieldEntry => ({
  key,
  input: 'line',
  required: false,
  check: null,
  validation: null,
  options: null,
  ...own,
});
