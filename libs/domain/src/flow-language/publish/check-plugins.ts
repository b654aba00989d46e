import type { PluginElement, PluginInput } from '../definition/definition.ts';
import { finding, type Finding, type FindingKey, type Where } from '../definition/finding.ts';
import { typeOfKind } from './infer-type.ts';
import { descriptionOf, type Check, type CheckContext } from './check-context.ts';

/** Plugin fields use a plugin of the company, fit its present description, and supply its inputs. @spec D2-7 */
export const pluginsAreSound: Check = function* (context) {
  for (const { node, element } of context.elements) if (element.kind === 'plugin') yield* elementFaults(context, node.key, element);
};

function* elementFaults(context: CheckContext, node: string, element: PluginElement): Generator<Finding> {
  const { plugin, slug } = element;
  const note = (key: FindingKey, message: string) => finding(key, { node, element: slug } satisfies Where, message);
  if (!context.inputs.plugins.has(plugin.plugin_id)) {
    yield note('flow_plugin.unknown', `${slug} uses a plugin that is not switched on in this account`);
    return;
  }
  const description = descriptionOf(context.inputs, element);
  if (!description) yield note('flow_plugin.field_type_unknown', `The plugin of ${slug} describes no field type ${plugin.field_type} now`);
  for (const input of description?.inputs ?? []) {
    const key = Object.hasOwn(plugin.inputs, input.key) ? plugin.inputs[input.key] : undefined;
    const fault = key === undefined ? unwired(input) : wiringFault(context, node, input, key);
    if (fault) yield note(fault[0], `The input ${input.key} of ${slug} ${fault[1]}`);
  }
}

type Fault = [FindingKey, string] | undefined;

const unwired = ({ required }: PluginInput): Fault =>
  required ? ['flow_plugin.input_unwired', 'is required: wire it to a field or constant'] : undefined;

function wiringFault({ kinds, isKnown, isAvailable }: CheckContext, node: string, input: PluginInput, key: string): Fault {
  const answerable = isKnown(key) && isAvailable(key, node);
  if (!answerable) return ['flow_plugin.input_not_answerable', `is wired to ${key}, which is not answered by then`];
  const kind = kinds.get(key);
  const given = typeOfKind(kind);
  if (kind === 'binary') return ['flow_plugin.input_type_mismatch', `takes ${input.type}, but ${key} is a file`];
  if (input.type === 'text' || given === 'any' || given === input.type) return undefined;
  return ['flow_plugin.input_type_mismatch', `takes ${input.type}, but ${key} is ${given}`];
}
