import type { Person } from '@codase/actors';
import { OPERATOR, Refusal } from '@codase/contracts';
import { DEMO, joinShop, shopConnection } from '@codase/stack';
import { Fault, UsageFault } from '@codase/command-line';
import { withBus } from './bus.ts';
import { readOptions, readPerson, TEXT, textOr, type Context, type Read } from './command.ts';

const PERSON = { person: textOr('ANA') };

const personOf = async ({ target }: Context, given: string): Promise<Person> => (await target.actors()).person(given);

/** Lets a person of the demo agree to approve the logins of the shop. */
export const enrol: Read = (words) => {
  const code = readPerson(readOptions(words, PERSON).person);
  return async (context) => {
    const person = await personOf(context, code);
    if (!(await shopConnection(person))) await joinShop(person);
    await person.phone.enrols({ client_id: DEMO.client_id });
    context.print(`${person.display_name} approves the logins of the shop from now on`, { share_code: code });
  };
};

/** Approves the newest card, as a tap on the phone does. */
export const approve: Read = (words) => {
  const { person: given, digits } = readOptions(words, { ...PERSON, digits: TEXT });
  const code = readPerson(given);
  if (digits !== undefined && !/^[0-9]{2}$/.test(digits))
    throw new UsageFault(`--digits is '${digits}': it has two digits, as the login shows them.`);
  return (context) =>
    answer(context, code, async (person, card) => {
      if (card.number_matching && digits === undefined)
        throw new Fault('This login shows two digits: give them with --digits, as one types them on the phone.');
      return person.phone.approves(card, { digits });
    });
};

export const deny: Read = (words) => {
  const code = readPerson(readOptions(words, PERSON).person);
  return (context) => answer(context, code, (person, card) => person.phone.denies(card));
};

/** Deletes the account of a person of the demo: requests it, reads the code in the mail that a development stack keeps, and confirms. */
export const deletePerson: Read = (words) => {
  const { person: given } = readOptions(words, { person: TEXT });
  if (given === undefined) throw new UsageFault('Say who: --person CODE. What is deleted does not come back.');
  const code = readPerson(given);
  return async (context) => {
    const person = await personOf(context, code);
    await person.phone.requestsDeletion();
    const { mails } = await withBus(context.target.platformOperator(), (bus) => bus.request(OPERATOR.waitingMail, {}, {}));
    const mailed = mails.find(({ to, subject }) => to === person.email && subject.includes('deletes your account'))?.code;
    if (mailed === undefined) throw new Fault('No mail with a code waits: a relay has sent it.');
    await person.phone.confirmsDeletion(mailed);
    const said = `${person.display_name} is deleted; the shop hears connection_deleted. Only a new stack has ${code} again.`;
    context.print(said, { user_id: person.user_id });
  };
};

type Card = Awaited<ReturnType<Person['phone']['cards']>>[number];

async function answer(context: Context, code: string, tap: (person: Person, card: Card) => Promise<{ status: string }>): Promise<number> {
  const person = await personOf(context, code);
  const card = (await person.phone.cards()).toSorted((one, other) => Date.parse(other.created_at) - Date.parse(one.created_at))[0];
  if (!card) throw new Fault(`No login waits for ${person.display_name}: first do npm run codase -- challenge in another terminal.`);
  const { status } = await tap(person, card).catch((error: unknown) => {
    throw error instanceof Refusal ? new Fault(`${error.message}.`, { cause: error }) : error;
  });
  const { challenge_id, service_name, context: reason } = card;
  context.print(`${person.display_name}: ${service_name}, "${reason}" is ${status}`, { challenge_id, status });
  return status === 'approved' || status === 'denied' ? 0 : 1;
}
