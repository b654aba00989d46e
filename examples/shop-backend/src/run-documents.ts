import type { CodaseClient, Handlers } from '@codase/client';
import { Refusal } from '@codase/contracts';
import type { PoolClient } from 'pg';

/** Who signs for the shop. A real shop would name the person who approved the document. */
const SIGNER = { method: 'custodian', first_name: 'Shop', last_name: 'Keeper' } as const;

/**
 * Signs or accepts for the shop when the signing line of a run comes to its copy. The handler may run twice: an act that was done before
 * succeeds again. A real shop would read the document first (`codase.flows.outputFile`), and pass on the `plain_sha256` of what it has
 * read.
 */
export const runDocumentHandlers = (codase: CodaseClient, report: (line: string) => void): Pick<Handlers<PoolClient>, 'flow_run_turn'> => ({
  flow_run_turn: async ({ flow_run_id, awaiting_party }) => {
    const copies = await codase.flows.documents(flow_run_id);
    for (const { output_key, name, requires_signature } of copies.filter(
      ({ own, open, party_key }) => own && open && party_key === awaiting_party,
    )) {
      const act = requires_signature ? codase.flows.sign(flow_run_id, output_key, SIGNER) : codase.flows.accept(flow_run_id, output_key);
      if (await act.catch(unlessOver)) report(`${name} is ${requires_signature ? 'signed' : 'accepted'} for the shop`);
    }
  },
});

/** Ignores the refusal of an act that comes too late: somebody has ended the run meanwhile. */
function unlessOver(error: unknown): undefined {
  if (!(error instanceof Refusal) || error.key !== 'documents.transition_invalid') throw error;
  return undefined;
}
