import { contactData, customer, services } from '@codase/contracts';
import type { StackActors } from './stack-actors.ts';
import type { Answers, Company, NewRequestRow, OwnConnection, Person } from '@codase/actors';
import { DEMO } from './demo.ts';
import { publishOrderFlows } from './order-flow.ts';

/** The code by which customers find the demo's shop. */
const SHOP_CODE = 'ACME/SHOP';

/** The request fields of the shop. Each is answered live by the person's profile field with the same slug. */
export const SHOP_ASKS = [
  { slug: 'first_name', label: 'First name', type: 'text', mandatory: true },
  { slug: 'email', label: 'E-mail', type: 'email' },
  { slug: 'phone', label: 'Mobile phone', type: 'phone' },
] as const satisfies readonly NewRequestRow[];

export type ShopField = (typeof SHOP_ASKS)[number]['slug'];

/** The first profile values of the demo's persons, by share code. */
const AT_FIRST: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ANA: { first_name: 'Ana', email: 'ana@lind.example', phone: '+46 70 174 06 05' },
  BEN: { first_name: 'Ben', email: 'ben@okafor.example', phone: '+1 202 555 0123' },
  CHIARA: { first_name: 'Chiara', email: 'chiara@rossi.example', phone: '+39 06 5550 123' },
};

/**
 * Sets up the demo: the shop has request fields and two flows for orders. Ana is connected to the shop, shares those fields live, and
 * approves its logins with digits. Request fields that were published by hand stay, and fields that Ana has declined stay declined.
 */
export async function setScene(actors: Pick<StackActors, 'person' | 'company'>): Promise<void> {
  await publishRequest(actors.company('ACME'));
  await publishOrderFlows(actors.company('ACME'), DEMO.keys.shop);
  const ana = actors.person('ANA');
  const connection = (await shopConnection(ana)) ?? (await joinShop(ana));
  const answers = await answersTo(connection.open_requests, ana);
  if (Object.keys(answers).length) await ana.connections.shares(connection, answers);
  if ((await ana.phone.enrolments()).length === 0) await enrolsWithDigits(ana, actors.company('ACME'));
}

/** Turns number matching on and enrols Ana: logins of the shop show two digits, which Ana types on her phone. */
async function enrolsWithDigits(ana: Person, acme: Company): Promise<void> {
  await acme.asks(services.changeNumberMatching, { params: { serviceId: DEMO.keys.shop }, body: { number_matching: true } });
  await ana.phone.enrols(DEMO);
}

export async function shopConnection(person: Person): Promise<OwnConnection | undefined> {
  const { items } = await person.asks(customer.listCustomerConnections, { query: { limit: 200 } });
  return items.find(({ service }) => service.service_id === DEMO.keys.shop);
}

/** Connects a demo person to the shop with the fields of their profile. */
export async function joinShop(person: Person): Promise<OwnConnection> {
  const [companyCode, serviceCode] = SHOP_CODE.split('/') as [string, string];
  const { request_fields } = await person.asks(customer.readServiceCard, { params: { companyCode, serviceCode } });
  return person.connections.connects(SHOP_CODE, await answersTo(request_fields, person));
}

/** Returns a person's answers to request fields, taken from their profile. Fields that are missing in the profile are filled in first. */
async function answersTo(rows: readonly { slug: string }[], person: Person): Promise<Answers> {
  const first = AT_FIRST[person.share_code] ?? {};
  const profile = await profileOf(person);
  const answers: Record<string, Answers[string]> = {};
  for (const { slug } of rows) {
    const text = profile[slug] ?? first[slug];
    if (text === undefined) continue;
    if (profile[slug] === undefined) await person.fields.edits(slug, text);
    answers[slug] = following(slug, text);
  }
  return answers;
}

/** Returns the person's plaintext values of the fields that the shop asks for, as the person's phone shows them. */
export async function profileOf(person: Person): Promise<Readonly<Record<string, string>>> {
  const { items } = await person.asks(contactData.listContactData, {});
  const requested = items.filter(({ slug }) => SHOP_ASKS.some((row) => row.slug === slug));
  const clear = await Promise.all(
    requested.map(async ({ slug, value, is_private }) => [slug, is_private ? await person.opens(value) : value]),
  );
  return Object.fromEntries(clear) as Record<string, string>;
}

/** Returns an answer to a request field that follows a profile field. */
export const following = (field: string, text: string): Answers[string] => ({ text, from: field });

async function publishRequest(acme: Company): Promise<void> {
  const { fields } = await acme.services.readsRequest(DEMO.keys.shop);
  if (fields.length === 0) await acme.services.publishesRequest(DEMO.keys.shop, SHOP_ASKS);
}
