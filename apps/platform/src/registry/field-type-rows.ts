import { FieldTypeRow } from '@cds/contracts';
import { PLUGIN, rowFindings, SYSTEM_ROWS } from '@cds/domain/field-types';

/** The operator's rows as the regions follow them. */
export const FIELD_TYPES = { bucket: 'field_types', shape: FieldTypeRow };

const SYSTEM_TYPES = new Set(SYSTEM_ROWS.map(({ type }) => type));
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** Why an operator's row cannot be put beside the others, as sentences; none when it can. @spec D1-2.5 @gap D1-2.5 */
export function putFaults(row: FieldTypeRow, others: readonly FieldTypeRow[]): readonly string[] {
  const before = others.find(({ type }) => type === row.type);
  const own = [
    !NAME.test(row.type) && 'A type is named by a letter and up to 63 letters, digits, _ or -',
    row.is_system && "is_system is true for the platform's own types alone: send false",
    SYSTEM_TYPES.has(row.type) && `${row.type} is a type of the platform: choose another name`,
    row.type === PLUGIN && `${PLUGIN} is reserved: choose another name`,
    before && isReshaped(before, row) && `${row.type} stands already, and its parent and input never change: make another type`,
  ].filter((fault) => typeof fault === 'string');
  if (own.length > 0) return own;
  const rows = [...SYSTEM_ROWS, ...others.filter(({ type }) => type !== row.type), row];
  return rowFindings(rows).map(({ message }) => message);
}

/** Values that were stored by the old shape would no longer fit. */
const isReshaped = (before: FieldTypeRow, after: FieldTypeRow): boolean => before.parent !== after.parent || before.input !== after.input;
