import { Controller, Inject, type Type } from '@nestjs/common';
import { Answers, type BusContext } from '@codase/runtime/nest-bus';
import { PeerHandlers, type Handlers, type PeerTable } from './peer-handlers.service.ts';

/** The replicas of a region share one queue; each region has its own. */
const HERE = { queue: 'region-{region}', fixed: ['region'] } as const;

/** The table that each controller answers. */
const TABLES = new WeakMap<Type, PeerTable>();

/**
 * Returns a bus controller that answers subjects between regions by the methods of a provider, after the checks that are declared of each
 * subject. A manifest lists it. Other capabilities of the region call the same methods by `Peers`.
 */
export function answeredBy<const T extends PeerTable>(table: T, provider: Type<Handlers<T>>): Type {
  @Controller()
  class PeersBus {
    constructor(
      readonly handlers: PeerHandlers,
      @Inject(provider) answering: Handlers<T>,
    ) {
      handlers.bind(table, answering);
    }
  }
  for (const [method, subject] of Object.entries(table)) {
    const answer = async function (this: PeersBus, request: unknown, { user, withinMs }: BusContext) {
      return this.handlers.answer(subject, request as object, { user, withinMs });
    };
    const property = { value: answer, configurable: true, writable: true };
    Object.defineProperty(PeersBus.prototype, method, property);
    Answers(subject, HERE)(PeersBus.prototype, method, property as never);
  }
  Object.defineProperty(PeersBus, 'name', { value: `${provider.name}PeersBus` });
  TABLES.set(PeersBus, table);
  return PeersBus;
}

/** The table that a bus controller answers; undefined for one that answers others than regions. */
export const peerTableOf = (controller: Type): PeerTable | undefined => TABLES.get(controller);
