import type { AuditAct, Level } from '@codase/contracts';

/** Further facts about an act: a closed list, without any person's names, addresses or values. */
export interface AuditDetails {
  /** How many acts there were, in a row that stands for several. */
  count?: number;
  level?: Level;
  region?: string;
  /** `front-door`, or a region. */
  base?: string;
  to_region?: string;
  writes_paused?: boolean;
  out_of_order?: boolean;
  patterns?: number;
  sessions?: number;
  /** How many mailed codes ended with the change. */
  codes_ended?: number;
  kind?: string;
  /** What a device of the person signed over the act (a JWS), which was checked. Without it, no device has proven the act. */
  statement?: string;
  /** The thumbprint of the key of a device. */
  jkt?: string;
  /** Whether a client now gets only tokens that are bound to a key. */
  dpop_bound_access_tokens?: boolean;
  /** The ids of the user and the service that a change of a delegate is about. */
  user_id?: string;
  service_id?: string;
  /** A fixed word that tells two ways to the same act apart. */
  reason?: string;
  /** Addresses of a company's own pages, to which a sign-in app may send people back. */
  redirect_uris_added?: string[];
  redirect_uris_removed?: string[];
  claims_delivery?: string;
  /** How many claims a sign-in app has, and the revision of them, which each change of the claims replaces. */
  claims?: number;
  revision?: string;
  /** The new name of a sign-in app, which persons read when they sign in. */
  name?: string;
}

/** The operator of the platform, as the initiator of an act. */
export const OPERATOR_INITIATOR = 'operator';
/** The platform itself, when it acts without a request. */
export const PLATFORM_INITIATOR = 'platform';

/** An act that is to be recorded. The current request says who did it, unless members of this object say it. */
export interface AuditedAct {
  act: AuditAct;
  /** The account that the act is about. */
  account_id?: string | null | undefined;
  /** The id of what was changed: a client, a session, a region, a key. */
  object?: string | undefined;
  details?: AuditDetails;
  /** The initiator: the id of an account, or else `operator` or `platform`. */
  initiator?: string | undefined;
  client_id?: string | undefined;
  address?: string | undefined;
}

/** An act that was refused, with the key of the refusal. */
export interface RefusedAct extends AuditedAct {
  outcome: string;
}

/** What is known of the initiator of the current work. */
interface KnownInitiator {
  user_id?: string | undefined;
  client_id?: string | undefined;
  address?: string | undefined;
}

/** A row of the audit before it is written. */
export interface AuditRow {
  at: Date;
  act: AuditAct;
  outcome: string;
  initiator: string | null;
  client_id: string | null;
  address: string | null;
  account_id: string | null;
  object: string | null;
  details: AuditDetails;
}

/** How much of the address of a request is kept. */
export type AddressPolicy = 'full' | 'network' | 'none';

/** Longer ids are cut: a stranger may send a long text as the id of a client, while real ids are short. */
const LONGEST_ID = 200;
const id = (text: string | null | undefined): string | null => text?.slice(0, LONGEST_ID) ?? null;

/** The row of an act, with what is known of its initiator. */
export function auditRow(act: RefusedAct, known: KnownInitiator | undefined, at: Date, policy: AddressPolicy): AuditRow {
  return {
    at,
    act: act.act,
    outcome: act.outcome,
    initiator: id(act.initiator ?? known?.user_id),
    client_id: id(act.client_id ?? known?.client_id),
    address: keptAddress(act.address ?? known?.address, policy),
    account_id: id(act.account_id),
    object: id(act.object),
    details: act.details ?? {},
  };
}

/**
 * Returns what is kept of an address. By `network`, an IPv4 address keeps three of its four parts and an IPv6 address its first three
 * groups.
 */
export function keptAddress(address: string | undefined, policy: AddressPolicy): string | null {
  if (address === undefined || policy === 'none') return null;
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (policy === 'full') return id(plain);
  if (/^\d+(\.\d+){3}$/.test(plain)) return plain.replace(/\.\d+$/, '.0/24');
  return `${firstGroups(plain)}::/48`;
}

function firstGroups(address: string): string {
  const [head = ''] = address.split('::');
  const groups = head.split(':').filter((group) => group !== '');
  return [...groups, '0', '0', '0'].slice(0, 3).join(':');
}
