import type { SentTurn } from '@codase/contracts';
import type { DataSource } from 'typeorm';
import type { ConnectionAnswers } from '../../../sharing/connections/index.ts';
import type { FieldTypesView } from '../../../services/registry/index.ts';
import type { RunFiles } from '../files/run-files.service.ts';
import type { RunRow } from '../run-row.ts';
import { SharedAnswers } from './shared-answers.service.ts';

/** Two answers with a file each. Every statement returns them: as request fields, as answers and as files. */
const ROWS = ['file_1', 'file_2'].map((file_id) => ({
  file_id,
  slug: `slug of ${file_id}`,
  for_user_id: 'acme',
  value: JSON.stringify({ _enc_file: file_id }),
}));
const run = { run_id: 'run_1', company_user_id: 'acme', service_id: 'svc_1' } as RunRow;
const turn = { answers: [], leaf: true } as unknown as SentTurn;

/** Copies the files of a turn until the deadline. Returns what was done, in its order. */
const shares = async (deadline: number): Promise<string[]> => {
  const done: string[] = [];
  const db = { createQueryRunner: () => ({ query: async () => ({ records: ROWS }), release: async () => undefined }) };
  const files = {
    copy: async (_: string, file_id: string) => {
      done.push(`copied ${file_id}`);
      return { remove: async () => void done.push(`removed ${file_id}`) };
    },
  };
  const sharedAnswers = new SharedAnswers(
    db as unknown as DataSource,
    files as unknown as RunFiles,
    {} as ConnectionAnswers,
    {} as FieldTypesView,
  );
  const shared = sharedAnswers.withFiles(run, turn, deadline, async (copies) => void done.push(`shared ${copies.size}`));
  await shared.catch((error: Error & { key: string }) => void done.push(error.key));
  return done;
};

describe('files that a run shares at its end @spec D2-3', () => {
  it('are copied before the turn is accepted, and the temporary copies are removed afterwards', async () => {
    expect(await shares(Infinity)).toEqual(['copied file_1', 'copied file_2', 'shared 2', 'removed file_1', 'removed file_2']);
  });

  it('are no longer copied after the deadline of the region that sent the turn', async () => {
    expect(await shares(performance.now() - 1)).toEqual(['copied file_1', 'removed file_1', 'service.unavailable']);
  });
});
