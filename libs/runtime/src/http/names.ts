import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { callbackify } from 'node:util';

/** How a connection asks for the addresses of a name; `dns.lookup` is one. */
export type Lookup = (
  name: string,
  options: { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface NamesOptions {
  /** Name servers in place of the machine's own. */
  servers?: readonly string[];
  /** A lookup is given up after this long: well before the deadline of the exchange that waits for it. */
  withinMs?: number;
}

/** What a name server is given before it is asked again. */
const ASK = { timeout: 1500, tries: 2 } as const;
/** An answer of one family waits this long for that of the other: some name servers never say that there is none. */
const OTHER_FAMILY_MS = 200;
const LOCAL = /(^|\.)localhost\.?$/i;
const LOOPBACK: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Looks names up that somebody else chose. `dns.lookup` has two threads for all names, and a few that are never answered keep everybody's
 * waiting; here each name has sockets of its own, and as much time as is good for it. Names that only this machine knows are not found.
 */
export class Names {
  private readonly servers: readonly string[] | undefined;
  private readonly withinMs: number;
  private readonly underWay = new Map<string, Promise<LookupAddress[]>>();

  constructor({ servers, withinMs = 5000 }: NamesOptions = {}) {
    this.servers = servers;
    this.withinMs = withinMs;
  }

  /** In the place of `dns.lookup`. */
  readonly lookup: Lookup = (name, _, callback) => this.found(name, callback);
  private readonly found = callbackify((name: string) => this.find(name));

  /** Whoever asks for a name that is being looked up shares the answer. */
  private find(name: string): Promise<LookupAddress[]> {
    const asked = this.underWay.get(name) ?? this.ask(name).finally(() => this.underWay.delete(name));
    this.underWay.set(name, asked);
    return asked;
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

const of = async (family: 4 | 6, asked: Promise<string[]>): Promise<LookupAddress[]> =>
  (await asked).map((address) => ({ address, family }));
