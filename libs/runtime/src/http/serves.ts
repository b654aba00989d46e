import { createParamDecorator, HttpCode, RequestMapping, RequestMethod, SetMetadata, type ExecutionContext } from '@nestjs/common';
import type { Caller, Endpoint, Input, Output } from '@cds/contracts';
import { readInput, type RawRequest } from './read-input.ts';

export const ENDPOINT = Symbol('endpoint');

/** What the guard learned of the caller, kept on the request. */
export interface CalledRequest extends RawRequest {
  caller?: unknown;
}

type Handler<E extends Endpoint> = (input: Input<E>, caller: Caller<E>) => Output<E> | Promise<Output<E>>;

/** Binds a controller method to its contract: route, status, validation and types come from there. */
export const Serves =
  <E extends Endpoint>(contract: E) =>
  <H extends Handler<E>>(target: object, name: string, method: TypedPropertyDescriptor<H>): void => {
    keepToContract(contract, method);
    routeTo(contract, target, name, method);
    ValidInput(contract)(target, name, 0);
    CallerOf()(target, name, 1);
  };

/** The route alone: what a base that does not serve an endpoint needs to say where it is served. */
export function routeTo(contract: Endpoint, target: object, name: string, method: PropertyDescriptor): void {
  RequestMapping({ path: routePath(contract), method: RequestMethod[contract.method] })(target, name, method);
  HttpCode(contract.status)(target, name, method);
  SetMetadata(ENDPOINT, contract)(target, name, method);
}

export const routePath = (contract: Endpoint): string => contract.path.replace(/{(\w+)}/g, ':$1');

/** What leaves is what the contract names: a member it does not know never reaches the wire. */
function keepToContract<H extends (...args: never[]) => unknown>(contract: Endpoint, method: TypedPropertyDescriptor<H>): void {
  const handler = method.value!;
  const kept = async function (this: unknown, ...args: never[]) {
    return contract.result.parse(await handler.apply(this, args));
  };
  method.value = kept as unknown as H;
}

const ValidInput = createParamDecorator((contract: Endpoint, context: ExecutionContext) => readInput(contract, context.switchToHttp().getRequest<RawRequest>()));

const CallerOf = createParamDecorator((_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<CalledRequest>().caller ?? null);
