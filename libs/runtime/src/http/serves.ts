import { SetMetadata } from '@nestjs/common';
import type { Caller, Endpoint, Input, Output, Refusal } from '@cds/contracts';
import type { Followed } from './followed.ts';
import type { Call } from './gatekeeper.ts';

export const ENDPOINT = Symbol('endpoint');
export const REFUSED_PAGE = Symbol('refused page');

/** How a browser is told no: the page for a refusal, with what the request brought. */
export type RefusedPage = (refusal: Refusal, sent: Readonly<Record<string, string>>) => string;

type Answer<T> = T | Followed<T>;
type Handler<E extends Endpoint> = (input: Input<E>, caller: Caller<E>, call: Call) => Answer<Output<E>> | Promise<Answer<Output<E>>>;

/** Binds a controller method to its contract: route, status, validation and types come from there. */
export const Serves =
  <E extends Endpoint>(contract: E, { refusedPage }: { refusedPage?: RefusedPage } = {}) =>
  <H extends Handler<E>>(target: object, name: string, method: TypedPropertyDescriptor<H>): void => {
    SetMetadata(ENDPOINT, contract)(target, name, method as PropertyDescriptor);
    if (refusedPage) SetMetadata(REFUSED_PAGE, refusedPage)(target, name, method as PropertyDescriptor);
  };
