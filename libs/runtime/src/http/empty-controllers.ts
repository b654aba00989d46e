import { Controller, type Type } from '@nestjs/common';
import { Refusal, type Endpoint } from '@codase/contracts';
import { POINTS_ELSEWHERE, STANDS_EMPTY } from './served-endpoints.ts';
import { markEndpoints } from './serves.ts';

/** A controller for endpoints of another base. The gatekeeper refuses with the right base, so no handler runs. @spec D1-5.6 */
export const servedElsewhere = (contracts: readonly Endpoint[]): Type => emptyController(contracts, POINTS_ELSEWHERE);

/** A controller for endpoints that are declared and not built: a caller that may call them is refused with `request.not_found`. */
export const notBuilt = (contracts: readonly Endpoint[]): Type => emptyController(contracts, STANDS_EMPTY);

function emptyController(contracts: readonly Endpoint[], mark: symbol): Type {
  class Empty {}
  for (const contract of contracts) {
    const method = () => Promise.reject(new Refusal('request.not_found'));
    const descriptor = { value: method, configurable: true, writable: true };
    markEndpoints([contract], Empty.prototype, contract.name, descriptor);
    Object.defineProperty(Empty.prototype, contract.name, descriptor);
  }
  Controller()(Empty);
  Reflect.defineMetadata(mark, true, Empty);
  return Empty;
}
