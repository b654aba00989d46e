import { ClientsStore } from '../../access/clients/index.ts';
import type { RestoredRegion } from '../../kit/after-restore.service.ts';
import { servicesAfter } from './services.store.ts';
import { noteDeletions } from './transitions.store.ts';

const BATCH = 500;

/** Deletes the services again of which the front door has withdrawn the client, or the exported audit knows that they were deleted. */
export async function deleteServicesAgain({ tx, frontDoor, now, acts, report, record }: RestoredRegion): Promise<void> {
  const clients = new ClientsStore(frontDoor);
  const gone = new Set(acts.objects('service.deleted').keys());
  for (let some = await servicesAfter(tx, '', BATCH); some.length > 0; some = await servicesAfter(tx, some.at(-1)!.service_id, BATCH))
    for (const id of await clients.withdrawnAmong(some.map(({ service_id }) => service_id))) gone.add(id);
  for (const { company_user_id, service_id } of await noteDeletions(tx, [...gone], now)) {
    await record({ act: 'service.deleted', account_id: company_user_id, object: service_id });
    report.services_deleted.push(service_id);
  }
}
