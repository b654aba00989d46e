/** An object as JSON has it: no array, not null. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether the value is an object as JSON has it. */
export const isJsonObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Nothing was given: absent, null, "", [] or {}. Blanks are something. @spec D1-2.5 @gap D1-2.5 */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** The member itself, never one of the prototype's. */
export const member = (object: JsonObject, key: string): unknown => (Object.hasOwn(object, key) ? object[key] : undefined);
