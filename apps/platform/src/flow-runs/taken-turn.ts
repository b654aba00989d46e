import type { CustomerRun, SentTurn } from '@cds/contracts';
import { isTransient } from '@cds/runtime/resilience';

/** How long the first try has; whoever has the turn in hand gives it up then. */
export const FIRST_TRY_MS = 1000;

/** How a turn is sent to the region of its run, and how that run is read there. */
interface Asked {
  user_id: string;
  turn: SentTurn;
  send(timeout?: number): Promise<CustomerRun>;
  read(): Promise<CustomerRun>;
}

/**
 * A region that dies with a turn in hand says nothing. The run says whether it was taken, and if not it is sent once more: so a customer
 * of another region waits for a second, and is not told that somebody else was first. @spec D2-4.2
 */
export async function sendTurn({ user_id, turn, send, read }: Asked): Promise<CustomerRun> {
  const taken = async () => {
    const run = await read();
    return isTaken(run, user_id, turn) ? run : undefined;
  };
  try {
    return await send(FIRST_TRY_MS);
  } catch (error) {
    if (!isTransient(error)) throw error;
    return (await taken()) ?? send().catch(async (again: unknown) => (await taken()) ?? Promise.reject(again as Error));
  }
}

/** No two wrappers are alike, so a copy that is there came with this turn. One without answers is known by where the run is. */
export function isTaken(run: Pick<CustomerRun, 'answers' | 'current_node' | 'status'>, user_id: string, turn: SentTurn): boolean {
  const own = turn.answers.flatMap(({ slug, values }) =>
    values.flatMap(({ for_user_id, value }) => (for_user_id === user_id ? { slug, value } : [])),
  );
  if (own.length === 0) return turn.leaf ? run.status === 'completed' || run.status === 'generating' : run.current_node === turn.next_node;
  return own.every(({ slug, value }) => run.answers.some((answer) => answer.slug === slug && answer.value === value));
}
