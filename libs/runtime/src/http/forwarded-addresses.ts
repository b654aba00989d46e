import type { FastifyInstance, FastifyRequest } from 'fastify';

/** How long the note for the operator stays after such a request was last seen. */
const REMEMBERED_MS = 10 * 60_000;

/**
 * Notices requests that name the address of their caller in X-Forwarded-For and come from a peer that is not trusted. Behind such a proxy
 * all callers have one address, and share what is counted by address.
 */
export class ForwardedAddresses {
  private seen: { peer: string; at: number } | undefined;

  watch(http: FastifyInstance): void {
    http.addHook('onRequest', (request, _reply, done) => {
      if (request.headers['x-forwarded-for'] !== undefined && !isTrusted(request))
        this.seen = { peer: request.socket.remoteAddress ?? 'unknown', at: performance.now() };
      done();
    });
  }

  /** The note for the operator; null when there is nothing to note. */
  get note(): { note: string } | null {
    if (!this.seen || performance.now() - this.seen.at > REMEMBERED_MS) return null;
    return {
      note:
        `${this.seen.peer} forwards addresses of callers (X-Forwarded-For) and is not trusted, so all of them count as one: ` +
        'if it is a proxy of yours, name it in TRUST_PROXY',
    };
  }
}

/** Whether the peer is trusted: then Fastify lists the peer and the addresses that it forwards for. */
const isTrusted = ({ ips }: FastifyRequest) => ips !== undefined && ips.length > 1;
