import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Endpoint } from '@cds/contracts';
import type { FastifyRequest } from 'fastify';
import { POINTS_ELSEWHERE } from './served.ts';
import { ENDPOINT, REFUSED_PAGE, type CalledRequest, type RefusedPage } from './serves.ts';

/** What is known of a call before anything of it is read. */
export interface Call {
  authorization: string | undefined;
  /** The source address. */
  address: string;
}

/** Decides who may come in. The app knows how. */
export interface Gatekeeper {
  /** Says who calls, or refuses. */
  admit(contract: Endpoint, call: Call): unknown;
  /** Refuses a call that belongs to another base, naming that base. */
  pointElsewhere(contract: Endpoint, call: Call): Promise<never>;
  /** Refuses a call to a path that no route has. */
  turnAway(path: string, call: Call): Promise<never>;
}
export const GATEKEEPER = Symbol('Gatekeeper');

/** Runs before anything of a request is read: what a stranger may not call is not even parsed. */
@Injectable()
export class CallerGuard implements CanActivate {
  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(GATEKEEPER) private readonly gatekeeper: Gatekeeper,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest & CalledRequest>();
    const call = { authorization: request.headers.authorization, address: request.ip };
    const contract = this.reflector.get<Endpoint | undefined>(ENDPOINT, context.getHandler());
    if (!contract) return this.gatekeeper.turnAway(pathOf(request.url), call);
    request.refusedPage = this.reflector.get<RefusedPage | undefined>(REFUSED_PAGE, context.getHandler());
    if (this.reflector.get<boolean | undefined>(POINTS_ELSEWHERE, context.getClass())) await this.gatekeeper.pointElsewhere(contract, call);
    request.caller = await this.gatekeeper.admit(contract, call);
    return true;
  }
}

/** The path as a route would see it: no host, no query, nothing encoded, no dot segments. */
function pathOf(url: string): string {
  try {
    return decodeURIComponent(new URL(url, 'http://here').pathname);
  } catch {
    return url;
  }
}
