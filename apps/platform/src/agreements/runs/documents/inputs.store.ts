import { Injectable } from '@nestjs/common';
import { many, type Db } from '@codase/runtime/db';
import { In, type EntityManager } from 'typeorm';
import type { Abandoned } from '../../../storage/files/index.ts';
import { FlowRunInputEntity } from './flow-run-input.entity.ts';

/** An input, as a generation names it. */
export type UploadedInput = Pick<FlowRunInputEntity, 'input_id' | 'source_key' | 'chars'>;

/** Adds an input. One that was uploaded for the same source before is deleted. */
export async function putInput(tx: EntityManager, row: FlowRunInputEntity): Promise<void> {
  const { run_id, user_id, source_key } = row;
  const inputs = tx.getRepository(FlowRunInputEntity);
  await inputs.delete({ run_id, user_id, source_key });
  await inputs.insert(row);
}

export const listInputs = (db: Db, run_id: string, user_id: string): Promise<UploadedInput[]> =>
  db.getRepository(FlowRunInputEntity).findBy({ run_id, user_id });

export const removeInputs = (tx: EntityManager, run_ids: readonly string[]) =>
  tx.getRepository(FlowRunInputEntity).delete({ run_id: In(run_ids) });

/** How long an input waits: longer than it takes to upload the others and to generate. @gap D2-4.3 */
const KEPT_MS = 60 * 60 * 1000;

/** Deletes inputs that no generation used in time. */
@Injectable()
export class WaitingInputs implements Abandoned {
  readonly keptMs = KEPT_MS;

  /** Removes only inputs of companies that are at home. */
  async removeAbandoned(db: Db, before: Date, most: number): Promise<number> {
    const removed = await many(db)`
      delete from flow_run_input where input_id in
        (select input_id from flow_run_input where created_at <= ${before} limit ${most} for update skip locked)
         and exists (select from hold_homes(array[company_user_id]))
      returning 1`;
    return removed.length;
  }
}
