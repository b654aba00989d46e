import { All, Controller, type Type } from '@nestjs/common';
import { Refusal, type Endpoint } from '@cds/contracts';
import { POINTS_ELSEWHERE, STANDS_EMPTY } from './served.ts';
import { routeTo } from './serves.ts';

/**
 * A controller for endpoints that another base serves. The guard answers for it: it learns who calls and refuses with
 * the right base, so no handler ever runs. @spec D1-5.6
 */
export function elsewhere(contracts: readonly Endpoint[]): Type {
  const controller = routesOf(contracts);
  Reflect.defineMetadata(POINTS_ELSEWHERE, true, controller);
  return controller;
}

/** A controller for endpoints that are declared and not built: whoever may call them is told that there is nothing yet. */
export function notBuilt(contracts: readonly Endpoint[]): Type {
  const controller = routesOf(contracts);
  Reflect.defineMetadata(STANDS_EMPTY, true, controller);
  return controller;
}

function routesOf(contracts: readonly Endpoint[]): Type {
  class Routes {}
  for (const contract of contracts) {
    const method = { value: () => Promise.reject(new Refusal('request.not_found')), configurable: true, writable: true };
    Object.defineProperty(Routes.prototype, contract.name, method);
    routeTo(contract, Routes.prototype, contract.name, method);
  }
  Controller()(Routes);
  return Routes;
}

/** Every path that no route has: the guard says whether the caller may know that. It stands last. @gap D1-5.7 */
@Controller()
export class Unmatched {
  @All('*')
  unmatched(): never {
    throw new Refusal('request.not_found');
  }
}
