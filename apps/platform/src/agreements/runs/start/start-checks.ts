import { createHash } from 'node:crypto';
import { Refusal, type FlowDefinition, type Input, type runs } from '@codase/contracts';
import {
  bindTargets,
  customerTags,
  requiredSourceFiles,
  sourceFilesFault,
  type Bindings,
  type Bound,
  type Definition,
} from '@codase/domain/flow-language';
import type { ConnectionRow } from '../../../sharing/connections/index.ts';

export type NewRun = Input<typeof runs.startRun>['body'];

/** The key of the company's own entry in tag_values. @spec D2-4.1 */
export const COMPANY_RECIPIENT = 'company';

/** The facts against which a start is checked, before anything is written. */
export interface StartFacts {
  given: NewRun;
  company_user_id: string;
  /** The key of the service, to which everything for the company is sealed. */
  service_public_key: string;
  published: { flow_id: string; version: number; definition: FlowDefinition };
  /** Customers of the service whom the start names, each by a connection or as a user. */
  customers: readonly ConnectionRow[];
  /** Whether a customer shares something for a request field that can still be read. */
  isShared(connection_id: string, request_slug: string): boolean;
  /** The customer whose file it is, for each staged file of the flow. */
  staged: ReadonlyMap<string, { source_user_id: string }>;
}

/** A start with its bindings: which user plays which party. */
interface BoundStart extends StartFacts {
  bindings: Bindings;
}

/** Does all checks that can refuse a start, in the order of the contract. Returns the bindings. @spec D2-7 */
export function checkStart(facts: StartFacts): Bindings {
  checkVersion(facts);
  const bindings = boundBy(facts);
  const start = { ...facts, bindings };
  for (const check of [checkCustomers, checkTagValues, checkTagKeys, checkSourceFiles]) check(start);
  return bindings;
}

/** @spec D2-9.2 */
function checkVersion({ given, published }: StartFacts): void {
  if (given.flow_version !== undefined && given.flow_version !== published.version) throw new Refusal('flows.version_changed');
}

/** Binds users to parties, as far as the definition and the start say it. @spec D2-4.1 */
const bindParties = ({ given, company_user_id, published, customers }: Omit<StartFacts, 'isShared' | 'staged'>): Bound =>
  bindTargets(published.definition.parties as Definition['parties'], { ...given, company_user_id }, (id) => {
    const found = customers.find(({ connection_id }) => connection_id === id);
    return found && { user_id: found.customer_user_id, type: found.customer_type };
  });

function boundBy(facts: StartFacts): Bindings {
  const bound = bindParties(facts);
  if (!bound.ok) throw new Refusal(bound.fault.key).because(bound.fault.message);
  return bound.bindings;
}

/** Refuses a bound user who is not connected: an untyped party is bound without a connection. @spec D2-2.1 @gap D2-4.1 */
function checkCustomers(start: BoundStart): void {
  for (const [party, user_id] of Object.entries(start.bindings)) {
    if (user_id === start.company_user_id || customerOf(start, user_id)) continue;
    throw new Refusal('flows.bindings_invalid').because(`bindings.${party}: must be a connected customer of the service`);
  }
}

export const customerOf = ({ customers }: Pick<StartFacts, 'customers'>, user_id: string): ConnectionRow | undefined =>
  customers.find(({ customer_user_id }) => customer_user_id === user_id);

/** Returns the recipients of tag values, each once: the company as `company`, a customer by the user id. @spec D2-4.1 */
const recipientsOf = ({ bindings, company_user_id }: Pick<BoundStart, 'bindings' | 'company_user_id'>): string[] => [
  COMPANY_RECIPIENT,
  ...new Set(Object.values(bindings).filter((user_id) => user_id !== company_user_id)),
];

const badTags = (reason: string) => new Refusal('flows.tag_values_invalid').because(reason);

/** Whether text of the flow shows values of customers, which a start must then give. @spec D2-4.1 */
export const showsCustomers = (definition: FlowDefinition): boolean => customerTags(definition as Definition).length > 0;

/** Requires an entry for each recipient, with tags that the text shows. A private value goes to its own party and the company alone. */
function checkTagValues({ given: { flow_version, tag_values }, published: { definition }, ...start }: BoundStart): void {
  const tags = customerTags(definition as Definition);
  if (tags.length === 0) return;
  if (flow_version === undefined) throw badTags('flow_version: must be there, since the text shows values of customers');
  const recipients = recipientsOf(start);
  const missing = recipients.find((recipient) => !tag_values || !Object.hasOwn(tag_values, recipient));
  if (!tag_values || missing !== undefined) throw badTags(`tag_values: must have an entry for ${missing}`);
  for (const [recipient, entry] of Object.entries(tag_values)) {
    if (!recipients.includes(recipient)) throw badTags('tag_values: has an entry for somebody who takes no part');
    const isOwn = (party: string) => recipient === COMPANY_RECIPIENT || start.bindings[party] === recipient;
    const areShown = entry.public_tags.every((key) => tags.some(({ tag }) => tag === key));
    if (!areShown) throw badTags(`tag_values.${recipient}.public_tags: must be tags that the text shows`);
    const areOwn = Object.keys(entry.private).every((key) => tags.some(({ tag, party }) => tag === key && isOwn(party)));
    if (!areOwn) throw badTags(`tag_values.${recipient}.private: must be tags that the text shows and this recipient may see`);
  }
}

/** Returns the SHA-256 of the DER of a public key, in lowercase hex. @spec D2-4.1 */
const keyDigest = (public_key: string): string => createHash('sha256').update(Buffer.from(public_key, 'base64')).digest('hex');

/** @spec D2-7 */
function checkTagKeys(start: BoundStart): void {
  const { given, published, service_public_key } = start;
  if (!showsCustomers(published.definition)) return;
  const keyOf = (recipient: string) => (recipient === COMPANY_RECIPIENT ? service_public_key : customerOf(start, recipient)!.public_key);
  const stale = Object.entries(given.tag_values!)
    .filter(([recipient, { recipient_pubkey_sha256 }]) => recipient_pubkey_sha256 !== keyDigest(keyOf(recipient)))
    .map(([recipient]) => recipient);
  if (stale.length > 0) throw new Refusal('flows.tag_values_stale', { stale });
}

/** @spec D2-7 */
function checkSourceFiles(start: BoundStart): void {
  const { given, published, bindings, isShared, staged } = start;
  const required = requiredSourceFiles(published.definition as Definition, bindings, (party, request_slug) => {
    const customer = customerOf(start, bindings[party]!);
    return customer !== undefined && isShared(customer.connection_id, request_slug);
  });
  const files = given.source_files.map((file) => ({ ...file, source_user_id: staged.get(file.file)?.source_user_id ?? '' }));
  const twice = files.filter(({ file }, nth) => files.findIndex((other) => other.file === file) !== nth);
  const fault = sourceFilesFault(required, files);
  if (!fault && twice.length === 0) return;
  const unexpected = [...new Set([...(fault?.unexpected ?? []), ...twice.map(({ file }) => file)])];
  throw new Refusal('flows.source_files_invalid', { missing: fault?.missing ?? [], unexpected });
}
