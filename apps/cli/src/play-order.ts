import { randomUUID } from 'node:crypto';
import { Fault, readNumber, UsageFault } from '@codase/command-line';
import type { CustomerRun } from '@codase/contracts';
import { poll } from '@codase/runtime/resilience';
import { joinShop, ORDER_CONTRACT_FLOW, ORDER_FLOW, shopConnection } from '@codase/stack';
import type { OwnConnection, Person } from '@codase/actors';
import { withClient } from './client-with.ts';
import { FLAG, readOptions, readPerson, TEXT, textOr, type Context, type Read } from './command.ts';
import { DOCUMENT_ACTIONS } from './document-actions.ts';

const TIMEOUT_MS = 30_000;
const CHECK_MS = 200;
/** The key of the contract that the demo's flow produces. */
const CONTRACT = 'contract';

const MENDS = { 'flows.not_found': ' The flows of the demo are not there: start the stack anew with npm start.' };

/**
 * Plays one of the demo's flows between a person and the shop, from start to end: the person orders, and the shop's own service sets the
 * price. Then the person agrees, or both sign the contract that the run produces.
 */
export const playOrder: Read = (words) => {
  const values = readOptions(words, { person: textOr('ANA'), quantity: TEXT, contract: FLAG });
  const code = readPerson(values.person);
  const quantity = readNumber('--quantity', values.quantity) ?? 3;
  if (!Number.isInteger(quantity) || quantity > 1000) throw new UsageFault('--quantity is a whole number from 1 to 1000.');
  const flow = values.contract ? ORDER_CONTRACT_FLOW : ORDER_FLOW;
  return withClient('shop', MENDS, async (codase, context) => {
    const person = (await context.target.actors()).person(code);
    const connection = (await shopConnection(person)) ?? (await joinShop(person));
    const { flow_run_id } = await codase.flows.start(flow, { key: randomUUID(), target: { connection_id: connection.id } });
    context.note(`${flow_run_id}: the shop starts a run of ${flow} with ${person.display_name}`);
    const play: Play = { person, connection, run: { id: flow_run_id }, context };
    const order = { flow_run_id, share_code: code, quantity, ...(await orders(play, quantity)) };
    const status = values.contract ? await signs(play, order) : await agrees(play, order);
    return status === 'completed' ? 0 : 1;
  });
};

/** A run that a person plays with the shop. */
interface Play {
  person: Person;
  connection: OwnConnection;
  run: { id: string };
  context: Context;
}

/** Orders, and waits for the shop's answers. Returns them opened, as the person's phone shows them. */
async function orders(play: Play, quantity: number): Promise<Record<'price' | 'delivery', string>> {
  const { person, connection, run, context } = play;
  await person.flows.answers(connection, run, { quantity: String(quantity) }, { next_node: 'price' });
  context.note(`${person.display_name} orders ${quantity} boxes`);
  const { answers } = await waitFor(play, ({ answers }) => answers.some(({ slug }) => slug === 'price'), 'The shop has not answered');
  const given = answers.filter(({ slug }) => slug === 'price' || slug === 'delivery');
  const opened = await Promise.all(given.map(async ({ slug, value }) => [slug, await person.opens(value)]));
  const { price, delivery } = Object.fromEntries(opened) as Record<'price' | 'delivery', string>;
  context.note(`the shop's own service answers: ${price}, delivered on ${delivery}`);
  return { price, delivery };
}

async function agrees({ person, connection, run, context }: Play, order: object): Promise<string> {
  const { status } = await person.flows.answers(connection, run, { agrees: 'yes' }, { leaf: true });
  context.print(`${person.display_name} agrees: the run is ${status}`, { ...order, status });
  return status;
}

/** Waits for the contract, which flows has generated, signs the person's copy, and waits for the shop's signature and the seal. */
async function signs(play: Play, order: object): Promise<string> {
  const { person, run, context } = play;
  const { participants } = await waitFor(play, ({ status }) => status === 'awaiting_signature', 'The contract is not there');
  context.note('flows has the contract generated');
  const own = participants.find(({ person_user_id }) => person_user_id === person.user_id)!;
  const { document_id } = own.documents.find(({ output_key }) => output_key === CONTRACT)!;
  await DOCUMENT_ACTIONS.sign.do(person, { field: 'email', document_id });
  context.note(`${person.display_name} signs it`);
  const { status } = await waitFor(play, ({ status }) => status === 'completed', 'The shop has not signed');
  context.print(`the shop's own service signs it, and the platform seals it: the run is ${status}`, { ...order, document_id, status });
  context.note(
    `npm run codase -- flows download ${run.id} ${CONTRACT} --to FILE saves it; the page /verify of the front door checks its seal`,
  );
  return status;
}

/** Reads the run on the person's phone until it is as wanted. */
async function waitFor({ person, connection, run, context }: Play, isWanted: (read: CustomerRun) => boolean, missing: string) {
  const check = async () => {
    const read = await person.flows.reads(connection, run);
    return isWanted(read) ? read : undefined;
  };
  const read = await poll(check, { everyMs: CHECK_MS, withinMs: TIMEOUT_MS, signal: context.signal });
  const where = `npm run codase -- flows show ${run.id} says where the run is`;
  if (!read) throw new Fault(`${missing} within ${TIMEOUT_MS / 1000} s. shop-backend acts for the shop, and ${where}.`);
  return read;
}
