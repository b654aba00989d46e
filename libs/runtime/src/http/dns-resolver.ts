import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { callbackify } from 'node:util';

/** A function by which a connection gets the addresses of a name; `dns.lookup` is one. */
export type Lookup = (
  name: string,
  options: { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface DnsResolverOptions {
  /** Name servers in place of the machine's own. */
  servers?: readonly string[];
  /** A lookup is given up after this time, which is well before the deadline of the exchange that waits for it. */
  withinMs?: number;
}

/** How long a name server has to answer, and how often it is asked. */
const ASK = { timeout: 1500, tries: 2 } as const;
/** How long an answer of one address family waits for that of the other: some name servers never say that there is none. */
const OTHER_FAMILY_MS = 200;
const LOCAL = /(^|\.)localhost\.?$/i;
const LOOPBACK: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Looks up names that somebody else chose. `dns.lookup` has two threads for all names, so a few names that are never answered make all
 * others wait. Here each name has sockets of its own, and its own time limit. Names that only this machine knows are not found.
 */
export class DnsResolver {
  private readonly servers: readonly string[] | undefined;
  private readonly withinMs: number;
  private readonly underWay = new Map<string, Promise<LookupAddress[]>>();

  constructor({ servers, withinMs = 5000 }: DnsResolverOptions = {}) {
    this.servers = servers;
    this.withinMs = withinMs;
  }

  /** Used in place of `dns.lookup`. */
  readonly lookup: Lookup = (name, _, callback) => this.found(name, callback);
  private readonly found = callbackify((name: string) => this.find(name));

  /** Finds the addresses of a name. Lookups of a name that is already being looked up share the answer. */
  private find(name: string): Promise<LookupAddress[]> {
    const addresses = this.underWay.get(name) ?? this.ask(name).finally(() => this.underWay.delete(name));
    this.underWay.set(name, addresses);
    return addresses;
  }

  private async ask(name: string): Promise<LookupAddress[]> {
    if (LOCAL.test(name)) return LOOPBACK;
    const resolver = new Resolver(ASK);
    if (this.servers) resolver.setServers(this.servers);
    const timeout = setTimeout(() => resolver.cancel(), this.withinMs);
    const families = [of(4, resolver.resolve4(name)), of(6, resolver.resolve6(name))];
    let forOther: NodeJS.Timeout | undefined;
    try {
      await Promise.any(families);
      forOther = setTimeout(() => resolver.cancel(), OTHER_FAMILY_MS);
      return (await Promise.allSettled(families)).flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    } catch (error) {
      throw (error as AggregateError).errors[0];
    } finally {
      clearTimeout(timeout);
      clearTimeout(forOther);
    }
  }
}

const of = async (family: 4 | 6, addresses: Promise<string[]>): Promise<LookupAddress[]> =>
  (await addresses).map((address) => ({ address, family }));
