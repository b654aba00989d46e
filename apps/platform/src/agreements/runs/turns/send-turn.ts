import type { CustomerRun, SentTurn } from '@codase/contracts';
import { isTransient } from '@codase/runtime/resilience';

/** How long the first attempt may take. The region that processes the turn rolls it back after that time. */
export const FIRST_ATTEMPT_TIMEOUT_MS = 1000;
/**
 * How long the second attempt of the last turn may take. The files that the run shares at its end are copied in that time. With the first
 * attempt and the reads of the run it is less than the minute after which the HTTP server closes an idle connection.
 */
export const FINAL_TURN_RETRY_TIMEOUT_MS = 45_000;

/** A turn, how it is sent to the region of its run, and how the run is read there. */
interface SendTurnOptions {
  user_id: string;
  turn: SentTurn;
  send(timeout?: number): Promise<CustomerRun>;
  read(): Promise<CustomerRun>;
}

/**
 * Sends a turn to the region of its run. A region that dies while it processes a turn does not answer. Then the run is read to see whether
 * the turn was applied, and if not, the turn is sent once more. So a customer of another region waits a second, and does not get the
 * refusal that the turn is over. The last turn of a run may copy many files, and has more time when it is sent again. @spec D2-4.2
 */
export async function sendTurn({ user_id, turn, send, read }: SendTurnOptions): Promise<CustomerRun> {
  const applied = async () => {
    const run = await read();
    return isApplied(run, user_id, turn) ? run : undefined;
  };
  const sendAgain = () => send(turn.leaf ? FINAL_TURN_RETRY_TIMEOUT_MS : undefined);
  try {
    return await send(FIRST_ATTEMPT_TIMEOUT_MS);
  } catch (error) {
    if (!isTransient(error)) throw error;
    return (await applied()) ?? sendAgain().catch(async (again: unknown) => (await applied()) ?? Promise.reject(again as Error));
  }
}

/** Whether the turn was applied to the run: no two wrappers are equal. A turn without answers is recognised by the state of the run. */
export function isApplied(run: Pick<CustomerRun, 'answers' | 'current_node' | 'status'>, user_id: string, turn: SentTurn): boolean {
  const own = turn.answers.flatMap(({ slug, values }) =>
    values.flatMap(({ for_user_id, value }) => (for_user_id === user_id ? { slug, value } : [])),
  );
  if (own.length === 0) return turn.leaf ? run.status === 'completed' || run.status === 'generating' : run.current_node === turn.next_node;
  return own.every(({ slug, value }) => run.answers.some((answer) => answer.slug === slug && answer.value === value));
}
