import { createParamDecorator, HttpCode, RequestMapping, RequestMethod, SetMetadata, type ExecutionContext } from '@nestjs/common';
import type { Caller, Endpoint, Input, Output, Refusal } from '@cds/contracts';
import type { FastifyReply } from 'fastify';
import { readInput, type RawRequest } from './read-input.ts';
import { writeAnswer } from './write-answer.ts';

export const ENDPOINT = Symbol('endpoint');
export const REFUSED_PAGE = Symbol('refused page');

/** How a browser is told no: the page for a refusal, with what the request brought. */
export type RefusedPage = (refusal: Refusal, sent: Readonly<Record<string, string>>) => string;

/** What the guard learned of a call, kept on the request. */
export interface CalledRequest extends RawRequest {
  caller?: unknown;
  refusedPage?: RefusedPage | undefined;
}

type Handler<E extends Endpoint> = (input: Input<E>, caller: Caller<E>) => Output<E> | Promise<Output<E>>;

/** Binds a controller method to its contract: route, status, validation and types come from there. */
export const Serves =
  <E extends Endpoint>(contract: E, { refusedPage }: { refusedPage?: RefusedPage } = {}) =>
  <H extends Handler<E>>(target: object, name: string, method: TypedPropertyDescriptor<H>): void => {
    keepToContract(contract, method);
    routeTo(contract, target, name, method);
    if (refusedPage) SetMetadata(REFUSED_PAGE, refusedPage)(target, name, method);
    ValidInput(contract)(target, name, 0);
    CallerOf()(target, name, 1);
    ReplyTo()(target, name, 2);
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
  const handler = method.value as unknown as (input: unknown, caller: unknown) => unknown;
  const kept = async function (this: unknown, input: unknown, caller: unknown, { reply }: { reply: FastifyReply }) {
    return writeAnswer(contract, reply, contract.result.parse(await handler.call(this, input, caller)));
  };
  method.value = kept as unknown as H;
}

const ValidInput = createParamDecorator((contract: Endpoint, context: ExecutionContext) => readInput(contract, context.switchToHttp().getRequest<RawRequest>()));

const CallerOf = createParamDecorator((_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<CalledRequest>().caller ?? null);

/** In an object, since Nest awaits parameters and a reply is a thenable that waits for itself to be sent. */
const ReplyTo = createParamDecorator((_: unknown, context: ExecutionContext) => ({ reply: context.switchToHttp().getResponse<FastifyReply>() }));
