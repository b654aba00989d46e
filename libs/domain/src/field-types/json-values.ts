/** A JSON object: no array, and not null. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether the value is a JSON object. */
export const isJsonObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a value is empty: absent, null, "", [] or {}. A text of blanks is not empty. @spec D1-2.5 @gap D1-2.5 */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Returns the object's own member, never one of its prototype. */
export const member = (object: JsonObject, key: string): unknown => (Object.hasOwn(object, key) ? object[key] : undefined);
