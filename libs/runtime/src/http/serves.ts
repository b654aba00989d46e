import { RequestMapping, RequestMethod, SetMetadata } from '@nestjs/common';
import type { Caller, Endpoint, Input, Output, Page, Refusal } from '@codase/contracts';
import type { ConstantAnswer } from './constant-answer.ts';
import type { EventStream, ServerSentEvent } from './event-stream.ts';
import type { TrackedAnswer } from './tracked-answer.ts';
import type { Call } from './gatekeeper.ts';
import { routePath } from './route-path.ts';
import type { StreamedAnswer } from './streamed-answer.ts';

export const ENDPOINT = Symbol('endpoint');
export const REFUSED_PAGE = Symbol('refused page');

/** Makes the page that a browser gets for a refusal, with the parameters that the request brought. */
export type RefusedPage = (refusal: Refusal, sent: Readonly<Record<string, string>>) => Page;

type Answer<T> = T | TrackedAnswer<T> | ConstantAnswer<T> | StreamedAnswer<T>;
/** When the contract declares a stream, its result is the shape of one event. */
type AnswerTo<E extends Endpoint> = E extends { produces: 'events' } ? EventStream<Output<E> & ServerSentEvent> : Answer<Output<E>>;
type Handler<E extends Endpoint> = (input: Input<E>, caller: Caller<E>, call: Call) => AnswerTo<E> | Promise<AnswerTo<E>>;

/**
 * Binds a controller method to its contract: route, status, validation and types come from there. Nest's own metadata names the route too,
 * for its tools and for people who look for routes with them.
 */
export const Serves =
  <E extends Endpoint>(contract: E, { refusedPage }: { refusedPage?: RefusedPage } = {}) =>
  <H extends Handler<E>>(target: object, name: string, method: TypedPropertyDescriptor<H>): void => {
    markEndpoint(contract, target, name, method as PropertyDescriptor);
    if (refusedPage) SetMetadata(REFUSED_PAGE, refusedPage)(target, name, method as PropertyDescriptor);
  };

export function markEndpoint(contract: Endpoint, target: object, name: string, method: PropertyDescriptor): void {
  SetMetadata(ENDPOINT, contract)(target, name, method);
  RequestMapping({ path: routePath(contract), method: RequestMethod[contract.method] })(target, name, method);
}
