import { setTimeout as pause } from 'node:timers/promises';
import { emit } from '@codase/platform';
import type { Sample } from '../harness/bench.ts';
import { sharedNow } from '../harness/shared-now.ts';
import type { Endpoint } from './endpoint.ts';
import { eventNumbered, type Numbering } from './load.ts';
import { COMPANY, type Ours } from './ours.ts';

const EVENTS = 40;
const PAUSE_MS = 15;

/** Measures the milliseconds from the commit of a change to the 200 of its delivery, when nothing else is under way. */
export async function commitToAnswer({ db }: Ours, endpoint: Endpoint, hook: string, numbering: Numbering): Promise<Sample> {
  const { first } = numbering.next([hook], EVENTS);
  const latencies: number[] = [];
  for (let number = first; number < first + EVENTS; number += 1) {
    const { delivered } = await endpoint.seen();
    const change = db.createQueryRunner();
    await change.startTransaction();
    await emit(change.manager, [
      { company_user_id: COMPANY, service_id: 'ser_idle', event: { ...eventNumbered(number), at: new Date().toISOString() } },
    ]);
    const committing = sharedNow();
    await change.commitTransaction();
    await change.release();
    latencies.push((await endpoint.seen(delivered + 1)).answeredAt - committing);
    await pause(PAUSE_MS);
  }
  return { operations: EVENTS, latencies };
}
