import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Endpoint } from '@cds/contracts';
import { POINTS_ELSEWHERE } from './served.ts';
import { ENDPOINT, type CalledRequest } from './serves.ts';

/** Says who calls, or refuses. The app decides how. */
export interface Authenticator {
  authenticate(contract: Endpoint, authorization: string | undefined): unknown;
  /** Refuses a call that belongs to another base, naming that base. */
  pointElsewhere(contract: Endpoint, authorization: string | undefined): Promise<never>;
}
export const AUTHENTICATOR = Symbol('Authenticator');

/** Runs before anything of a request is read: what a stranger may not call is not even parsed. */
@Injectable()
export class CallerGuard implements CanActivate {
  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const contract = this.reflector.get<Endpoint | undefined>(ENDPOINT, context.getHandler());
    if (!contract) return true;
    const request = context.switchToHttp().getRequest<CalledRequest>();
    const authorization = request.headers['authorization'] as string | undefined;
    if (this.reflector.get<boolean | undefined>(POINTS_ELSEWHERE, context.getClass())) await this.authenticator.pointElsewhere(contract, authorization);
    if (!contract.callers.includes('anyone')) request.caller = await this.authenticator.authenticate(contract, authorization);
    return true;
  }
}
