import { randomUUID } from 'node:crypto';
import { Fault, readArguments, readNumber, UsageFault } from '@cds/command-line';
import { poll } from '@cds/runtime/resilience';
import { joinShop, ORDER_FLOW, shopConnection } from '@cds/stack';
import type { OwnConnection, Person } from '@cds/actors';
import { clientWith } from './client-with.ts';
import { noWords, oneOf, type Read } from './command.ts';
import { PERSONS } from './persons.ts';

const OPTIONS = { person: { type: 'string', default: 'ANA' as string }, quantity: { type: 'string' } } as const;
const TIMEOUT_MS = 30_000;
const LOOK_MS = 200;

const withClient = clientWith({ 'flows.not_found': ` The demo's flow ${ORDER_FLOW} is not there: start the stack anew with npm start.` });

/**
 * Plays the demo's flow between a person and the shop, from start to end: the person orders, the shop's own service sets the price, the
 * person agrees.
 */
export const playOrder: Read = (words) => {
  const { values, positionals } = readArguments(words, OPTIONS);
  noWords(positionals);
  const code = oneOf(PERSONS, 'A person', values.person.toUpperCase());
  const quantity = readNumber('--quantity', values.quantity) ?? 3;
  if (!Number.isInteger(quantity) || quantity > 1000) throw new UsageFault('--quantity is a whole number from 1 to 1000.');
  return withClient('shop', async (cds, { target, print, note, signal }) => {
    const person = (await target.actors()).person(code);
    const connection = (await shopConnection(person)) ?? (await joinShop(person));
    const { flow_run_id } = await cds.flows.start(ORDER_FLOW, { key: randomUUID(), target: { connection_id: connection.id } });
    note(`${flow_run_id}: the shop starts a run of ${ORDER_FLOW} with ${person.display_name}`);
    const run = { id: flow_run_id };
    await person.flows.answers(connection, run, { quantity: String(quantity) }, { next_node: 'price' });
    note(`${person.display_name} orders ${quantity} boxes`);
    const { price, delivery } = await priced(person, connection, run, signal);
    note(`the shop's own service answers: ${price}, delivered on ${delivery}`);
    const { status } = await person.flows.answers(connection, run, { agrees: 'yes' }, { leaf: true });
    print(`${person.display_name} agrees: the run is ${status}`, { flow_run_id, share_code: code, quantity, price, delivery, status });
    return status === 'completed' ? 0 : 1;
  });
};

type Answers = Record<'price' | 'delivery', string>;

/** Waits for the shop's answers and returns them, opened as on the person's phone. */
async function priced(person: Person, connection: OwnConnection, run: { id: string }, signal: AbortSignal): Promise<Answers> {
  const look = async () => {
    const { current_node, answers } = await person.flows.reads(connection, run);
    return current_node === 'agree' ? answers : undefined;
  };
  const answers = await poll(look, { everyMs: LOOK_MS, withinMs: TIMEOUT_MS, signal });
  const where = `npm run cds -- flows show ${run.id} says where the run is`;
  if (!answers) throw new Fault(`The shop has not answered within ${TIMEOUT_MS / 1000} s. shop-backend plays its turns, and ${where}.`);
  const given = answers.filter(({ slug }) => slug === 'price' || slug === 'delivery');
  return Object.fromEntries(await Promise.all(given.map(async ({ slug, value }) => [slug, await person.opens(value)]))) as Answers;
}
