import { SHOP_ASKS } from '@codase/stack';
import { readArguments, UsageFault } from '@codase/command-line';
import { ACTIONS } from './demo-actions.ts';
import { noWords, oneOf, readDay, readPerson, TEXT, textOr, type Read } from './command.ts';

const FIELDS = SHOP_ASKS.map(({ slug }) => slug);
const KINDS = Object.keys(ACTIONS);
const OPTIONS = { person: textOr('ANA'), field: TEXT, value: TEXT, document: TEXT, on: TEXT };

/** Lets a person of the demo do something for real: the person signs in, seals on this machine, and calls the platform. */
export const trigger: Read = (words) => {
  const {
    values: { person: given, field: named, value, document: document_id, on },
    positionals: [kind = KINDS[0]!, ...more],
  } = readArguments(words, OPTIONS);
  noWords(more);
  const action = ACTIONS[oneOf(KINDS, 'What a person of the demo can do', kind)]!;
  const code = readPerson(given);
  const isAboutField = named !== undefined || (value !== undefined && !action.takesText);
  if (isAboutField && !action.field) throw new UsageFault(`${kind} is about no field: leave --field and --value away.`);
  if (document_id !== undefined && !action.takesDocument) throw new UsageFault(`${kind} is about no document: leave --document away.`);
  if (on !== undefined && !action.takesDay) throw new UsageFault(`${kind} has no day: leave --on away.`);
  const day = on === undefined ? undefined : readDay('--on', on);
  const field = named === undefined ? (action.field ?? FIELDS[0]!) : oneOf(FIELDS, 'A field', named);
  return async ({ target, print }) => {
    const person = (await target.actors()).person(code);
    const { said, ...done } = await action.do(person, {
      field,
      ...(value !== undefined && { value }),
      ...(document_id !== undefined && { document_id }),
      ...(day !== undefined && { day }),
    });
    print(`${person.display_name} ${said}`, { kind, person_user_id: person.user_id, share_code: code, ...done });
  };
};
