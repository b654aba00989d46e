import type { Party } from '../definition/definition.ts';
import type { Bindings } from '../outputs/source-files.ts';

/** A connected customer of the flow's service. */
export interface Customer {
  user_id: string;
  type: 'person' | 'company';
}

/** What the start of a run says about the parties, and the company that starts it. @spec D2-4.1 */
export interface RunStart {
  company_user_id: string;
  target?: { connection_id: string } | undefined;
  targets?: Readonly<Record<string, { connection_id: string }>> | undefined;
  bindings?: Bindings | undefined;
}

/** Why a start is refused. The message names the party or connection. @spec D2-7 */
export interface BindingFault {
  key: 'flows.bindings_invalid' | 'flows.no_counterparty' | 'flows.connection_not_found';
  message: string;
}

export type Bound = { ok: true; bindings: Bindings } | { ok: false; fault: BindingFault };

/**
 * Binds each party of a flow to a user. The owner is bound to the company. Any other party is bound to the customer of its own target, or
 * of the single target. A party without a type may also be bound to a user whom the caller names. @spec D2-4.1 @spec D2-2.1
 */
export function bindTargets(
  parties: readonly Party[],
  start: RunStart,
  customerOf: (connection_id: string) => Customer | undefined,
): Bound {
  const fault = namesFault(parties, start);
  if (fault) return refused('flows.bindings_invalid', fault);
  const bindings: Record<string, string> = {};
  for (const party of parties) {
    const user = userOf(party, start, customerOf);
    if (typeof user !== 'string') return { ok: false, fault: user };
    bindings[party.key] = user;
  }
  const isAlone = Object.values(bindings).every((user) => user === start.company_user_id);
  return isAlone ? refused('flows.no_counterparty', 'The bindings name nobody besides the company') : { ok: true, bindings };
}

const refused = (key: BindingFault['key'], message: string): Bound & { ok: false } => ({ ok: false, fault: { key, message } });

const own = <T>(table: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  table && Object.hasOwn(table, key) ? table[key] : undefined;

/** Returns what is wrong with the names in `target`, `targets` and `bindings`. Undefined when nothing is. */
function namesFault(parties: readonly Party[], { target, targets, bindings, company_user_id }: RunStart): string | undefined {
  if (target && targets) return 'Give either target or targets';
  const typeOf = new Map(parties.map(({ key, type }) => [key, type ?? 'untyped']));
  for (const key of Object.keys(targets ?? {})) {
    if (!typeOf.has(key)) return `targets names ${key}, which is no party of the flow`;
    if (typeOf.get(key) === 'owner') return `targets names ${key}, the owner, which is bound by itself`;
  }
  for (const [key, user] of Object.entries(bindings ?? {})) {
    const type = typeOf.get(key);
    if (!type) return `bindings names ${key}, which is no party of the flow`;
    if (type === 'owner' && user !== company_user_id) return `bindings must bind ${key}, the owner, to ${company_user_id} or leave it out`;
  }
  return undefined;
}

function userOf({ key, type }: Party, start: RunStart, customerOf: (id: string) => Customer | undefined): string | BindingFault {
  if (type === 'owner') return start.company_user_id;
  const named = own(start.bindings, key);
  if (type === undefined && named !== undefined) return named;
  const connection = (own(start.targets, key) ?? start.target)?.connection_id;
  if (connection === undefined) return invalid(`The party ${key} is not bound: give it a target`);
  const customer = customerOf(connection);
  if (!customer) return { key: 'flows.connection_not_found', message: `${connection} is not connected to the service` };
  if (type !== undefined && customer.type !== type)
    return invalid(`The party ${key} must be a ${type}, but its target is a ${customer.type}`);
  if (named !== undefined && named !== customer.user_id) return invalid(`bindings and the target of ${key} name different users`);
  return customer.user_id;
}

const invalid = (message: string): BindingFault => ({ key: 'flows.bindings_invalid', message });
