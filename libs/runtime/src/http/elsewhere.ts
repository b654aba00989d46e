import { Controller, type Type } from '@nestjs/common';
import type { Endpoint } from '@cds/contracts';
import { POINTS_ELSEWHERE } from './served.ts';
import { routeTo } from './serves.ts';

/**
 * A controller for endpoints that another base serves. The guard answers for it: it learns who calls and refuses with
 * the right base, so no handler ever runs. @spec D1-5.6
 */
export function elsewhere(contracts: readonly Endpoint[]): Type {
  class Elsewhere {}
  for (const contract of contracts) {
    const method = { value: () => Promise.reject(new Error(`${contract.name} is not served here`)), configurable: true, writable: true };
    Object.defineProperty(Elsewhere.prototype, contract.name, method);
    routeTo(contract, Elsewhere.prototype, contract.name, method);
  }
  Controller()(Elsewhere);
  Reflect.defineMetadata(POINTS_ELSEWHERE, true, Elsewhere);
  return Elsewhere;
}
