import type { Definition } from '@codase/domain/field-types';

/** The most own fields of one user. @gap D1-8 */
export const OWN_FIELDS = 500;

/** Returns why an own field cannot have this type and these options; undefined when it can. @gap D1-5 */
export function fieldFault(type: string, definition: Definition | undefined, options: readonly string[] | undefined): string | undefined {
  if (!definition) return `type: there is none called ${type}; GET /api/contact-field-types lists them`;
  const isChoice = definition.input === 'list' || definition.input === 'multilist';
  const isOpen = isChoice && !definition.options?.length;
  if (isOpen && !options?.length) return `options: is missing; a field of type ${type} needs them`;
  if (!isOpen && options) return `options: must be left out; a field of type ${type} takes none of its own`;
  return options && new Set(options).size < options.length ? 'options: must name each option once' : undefined;
}
