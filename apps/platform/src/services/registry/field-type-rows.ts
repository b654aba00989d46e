import { FieldTypeRow } from '@codase/contracts';
import { PLUGIN, rowFindings, SYSTEM_ROWS } from '@codase/domain/field-types';

/** The projection of the rows of the operator, which the regions follow. */
export const FIELD_TYPES = { bucket: 'field_types', shape: FieldTypeRow };

const SYSTEM_TYPES = new Set(SYSTEM_ROWS.map(({ type }) => type));
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** Returns why a row of the operator cannot be stored beside the others; an empty list when it can. @spec D1-2.5 @gap D1-2.5 */
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

/** Whether the parent or the input changes: values that were stored with the old shape would not fit any more. */
const isReshaped = (before: FieldTypeRow, after: FieldTypeRow): boolean => before.parent !== after.parent || before.input !== after.input;
