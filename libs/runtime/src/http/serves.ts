import { RequestMapping, RequestMethod, SetMetadata } from '@nestjs/common';
import type { Caller, Endpoint, Input, Output, Page, Refusal } from '@codase/contracts';
import type { ConstantAnswer } from './constant-answer.ts';
import type { EventStream, ServerSentEvent } from './event-stream.ts';
import type { TrackedAnswer } from './tracked-answer.ts';
import type { Call } from './gatekeeper.ts';
import type { StreamedAnswer } from './streamed-answer.ts';

/** The path of a contract in the notation of routers, with `:name` for a parameter. */
export const routePath = ({ path }: { path: string }): string => path.replace(/{(\w+)}/g, ':$1');

export const ENDPOINTS = Symbol('endpoints');
export const REFUSED_PAGE = Symbol('refused page');

/** Makes the page that a browser gets for a refusal, with the parameters that the request brought. */
export type RefusedPage = (refusal: Refusal, sent: Readonly<Record<string, string>>) => Page;

type Answer<T> = T | TrackedAnswer<T> | ConstantAnswer<T> | StreamedAnswer<T>;
/** When the contract declares a stream, its result is the shape of one event. */
type AnswerTo<E extends Endpoint> = E extends { produces: 'events' } ? EventStream<Output<E> & ServerSentEvent> : Answer<Output<E>>;
type Handler<E extends Endpoint> = (input: Input<E>, caller: Caller<E>, call: Call) => AnswerTo<E> | Promise<AnswerTo<E>>;

/** What can handle each of the contracts: it takes what any of them takes, and its answer fits all of them. */
type HandlerOfAll<All extends readonly Endpoint[]> = All extends readonly [
  infer E extends Endpoint,
  ...infer Others extends readonly Endpoint[],
]
  ? Handler<E> & HandlerOfAll<Others>
  : unknown;

/**
 * Binds a controller method to its contract, or to several that it serves alike: route, status, validation and types come from there.
 * Nest's own metadata names the routes too, for its tools and for people who look for routes with them.
 */
export const Serves =
  <const All extends readonly [Endpoint, ...Endpoint[]]>(...contracts: All) =>
  <H extends HandlerOfAll<All>>(target: object, name: string, method: TypedPropertyDescriptor<H>): void =>
    markEndpoints(contracts, target, name, method as PropertyDescriptor);

/** Answers the refusals of a method that is bound with @Serves with a page, for people who came with a browser. */
export const RefusesWith = (page: RefusedPage): MethodDecorator => SetMetadata(REFUSED_PAGE, page);

export function markEndpoints(contracts: readonly Endpoint[], target: object, name: string, handler: PropertyDescriptor): void {
  const [method, ...others] = new Set(contracts.map((contract) => contract.method));
  if (others.length > 0)
    throw new Error(`${name} serves ${contracts.map((one) => one.name).join(', ')}: their HTTP methods must be the same`);
  SetMetadata(ENDPOINTS, contracts)(target, name, handler);
  const [path, ...more] = contracts.map(routePath);
  RequestMapping({ path: more.length > 0 ? [path!, ...more] : path!, method: RequestMethod[method!] })(target, name, handler);
}
