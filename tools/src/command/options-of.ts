/** Returns options of one type for `readArguments`, by their names. */
export const optionsOf = <const Name extends string, const Type extends 'string' | 'boolean'>(names: readonly Name[], type: Type) =>
  Object.fromEntries(names.map((name) => [name, { type }])) as Record<Name, { type: Type }>;
