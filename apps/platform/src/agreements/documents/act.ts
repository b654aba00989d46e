import type { DOCUMENT_SUBJECTS } from '@codase/contracts';
import type { z } from 'zod';
import type { ActFile } from './act-file.service.ts';
import type { DocumentRow, SignatureRow } from './document-row.ts';

/** What a recipient does with a document. @spec D1-3.3 */
export type Act = z.infer<(typeof DOCUMENT_SUBJECTS.act)['message']>['act'];
export type SigningAct = Extract<Act, { kind: 'sign' | 'accept' }>;
export const isSigning = (act: Act): act is SigningAct => act.kind === 'sign' || act.kind === 'accept';

export interface ActOptions {
  /** The PDF that is signed or accepted. */
  file?: ActFile | undefined;
  withinMs?: number;
}

/** Returns the signature or acceptance that an act adds. @spec D1-2.12 */
export const signatureOf = (
  { document_id, content_sha256, plain_sha256 }: Pick<DocumentRow, 'document_id' | 'content_sha256' | 'plain_sha256'>,
  act: SigningAct,
  created_at: Date,
): SignatureRow => ({
  document_id,
  action: act.kind === 'sign' ? 'signed' : 'accepted',
  method: act.kind === 'sign' ? act.method : null,
  content_sha256,
  plain_sha256,
  signer_first_name: act.kind === 'sign' ? act.signer_first_name : null,
  signer_last_name: act.kind === 'sign' ? act.signer_last_name : null,
  signer_name_verified: act.kind === 'sign' ? act.signer_name_verified : null,
  created_at,
});
