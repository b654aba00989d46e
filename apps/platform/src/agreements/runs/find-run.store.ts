import type { OwnService } from '../../services/services/index.ts';
import type { Reader } from './present.ts';
import type { FindRun } from './run-locks.service.ts';
import { findOfCustomer, findOfService, lockOfCustomer, lockOfService } from './runs.store.ts';

/** A run of a service. When the caller names a flow, it must be a run of that flow. */
export interface OwnRun {
  own: OwnService;
  run_id: string;
  flow_id?: string;
}

/** A run that a customer takes part in, by one connection. */
export interface CustomersRun {
  user_id: string;
  connection_id: string;
  run_id: string;
}

/** Finds a run for its owner. */
export function finderOf({ own, run_id, flow_id }: OwnRun): FindRun {
  const ofFlow = <R extends { flow_id: string }>(run: R | undefined) =>
    run && (flow_id === undefined || run.flow_id === flow_id) ? run : undefined;
  return {
    read: async (db) => ofFlow(await findOfService(db, own, run_id)),
    lock: (tx, waitMs) => {
      const { target, ...locked } = lockOfService(tx, own, run_id, waitMs);
      return { target: target.then(ofFlow), ...locked };
    },
  };
}

export const ownerOf = ({ own }: OwnRun): Reader => ({ user_id: own.company_user_id, connection_id: null });

/** Finds a run for a customer. */
export const finderOfCustomer = (request: CustomersRun): FindRun => ({
  read: (db) => findOfCustomer(db, request.user_id, request.connection_id, request.run_id),
  lock: (tx, waitMs) => lockOfCustomer(tx, request, waitMs),
});
