import { SHOP_ASKS } from '@cds/stack';
import { readArguments, UsageFault } from '@cds/command-line';
import { ACTIONS } from './demo-actions.ts';
import { noWords, oneOf, type Read } from './command.ts';
import { PERSONS } from './persons.ts';

const FIELDS = SHOP_ASKS.map(({ slug }) => slug);
const KINDS = Object.keys(ACTIONS);
const OPTIONS = { person: { type: 'string', default: 'ANA' as string }, field: { type: 'string' }, value: { type: 'string' } } as const;

/** A person of the demo does something for real: it signs in, seals on this machine, and calls the platform. */
export const trigger: Read = (words) => {
  const {
    values: { person: given, field: named, value },
    positionals: [kind = KINDS[0]!, ...more],
  } = readArguments(words, OPTIONS);
  noWords(more);
  const action = ACTIONS[oneOf(KINDS, 'What a person of the demo can do', kind)]!;
  const code = oneOf(PERSONS, 'A person', given.toUpperCase());
  const isAboutField = (named ?? value) !== undefined;
  if (isAboutField && !action.field) throw new UsageFault(`${kind} is about no field: leave --field and --value away.`);
  const field = named === undefined ? (action.field ?? FIELDS[0]!) : oneOf(FIELDS, 'A field', named);
  return async ({ target, print }) => {
    const person = (await target.actors()).person(code);
    const { said, ...done } = await action.do(person, { field, ...(value !== undefined && { value }) });
    print(`${person.display_name} ${said}`, { kind, person_user_id: person.user_id, share_code: code, ...done });
    return 0;
  };
};
