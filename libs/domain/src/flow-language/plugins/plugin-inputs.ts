import { isCalendarDate } from '../../field-types/calendar-date.ts';
import { isEmpty } from '../../field-types/json-values.ts';
import type { PluginInput, PluginUse, Scalar, ValueType } from '../definition/definition.ts';
import type { Kind } from '../definition/kinds.ts';
import { finite, ownValue, numeric, textOf, type Values } from '../expressions/values.ts';
import type { Flow } from '../flow.ts';

/** Why an input cannot be sent. @spec D2-4.5 */
export type InputFault = 'unwired' | 'unanswered' | 'private' | 'not_convertible';

/** The inputs of a plugin call, or the required inputs that cannot be sent: then the field cannot be answered yet. */
export type PluginInputs =
  | { ready: true; inputs: Record<string, Scalar> }
  | { ready: false; lacking: { input: string; fault: InputFault }[] };

/** Whether the acting party must not send a key to plugins. */
export type IsPrivate = (key: string) => boolean;

/** Reads a plugin's inputs, converted to the declared types; an optional one may be left out. @spec D2-4.5.1 @spec D2-4.5.4 */
export function pluginInputs(flow: Flow, { snapshot, inputs: wiring }: PluginUse, values: Values, isPrivate: IsPrivate): PluginInputs {
  const inputs: Record<string, Scalar> = {};
  const lacking: { input: string; fault: InputFault }[] = [];
  for (const input of snapshot.inputs) {
    const key = Object.hasOwn(wiring, input.key) ? wiring[input.key] : undefined;
    const taken = key === undefined ? { fault: 'unwired' as const } : takeInput(flow, input, key, values, isPrivate);
    if ('value' in taken) inputs[input.key] = taken.value;
    else if (input.required) lacking.push({ input: input.key, fault: taken.fault });
  }
  return lacking.length ? { ready: false, lacking } : { ready: true, inputs };
}

type Taken = { value: Scalar } | { fault: InputFault };

function takeInput(flow: Flow, { type }: PluginInput, key: string, values: Values, isPrivate: IsPrivate): Taken {
  if (isPrivate(key)) return { fault: 'private' };
  const given = ownValue(values, key);
  if (isEmpty(given)) return { fault: 'unanswered' };
  const value = convertInput(type, flow.kinds.get(key) ?? 'unknown', given);
  return value === null ? { fault: 'not_convertible' } : { value };
}

/** Converts a value: number from number, date from date, boolean from boolean, text from any. Null when it cannot. @spec D2-2.6 */
export function convertInput(type: ValueType, kind: Kind, value: unknown): Scalar {
  if (type === 'text') return textOf(value);
  if (type !== kind) return null;
  if (type === 'number') return finite(numeric(value));
  if (type === 'date') return isCalendarDate(value) ? value : null;
  return typeof value === 'boolean' ? value : null;
}
