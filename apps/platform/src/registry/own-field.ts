import type { Definition } from '@cds/domain/field-types';

/** Fields an owner may have. @gap D1-8 */
export const OWN_FIELDS = 500;

/** Why an owner's field cannot have the type and the options it was given; undefined when it can. @gap D1-5 */
export function fieldFault(type: string, definition: Definition | undefined, options: readonly string[] | undefined): string | undefined {
  if (!definition) return `type: there is none called ${type}; GET /api/contact-field-types lists them`;
  const isChoice = definition.input === 'list' || definition.input === 'multilist';
  const isOpen = isChoice && !definition.options?.length;
  if (isOpen && !options?.length) return `options: is missing; a field of type ${type} needs them`;
  if (!isOpen && options) return `options: must be left out; a field of type ${type} takes none of its own`;
  return options && new Set(options).size < options.length ? 'options: must name each option once' : undefined;
}
