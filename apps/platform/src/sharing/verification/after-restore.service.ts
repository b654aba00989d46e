import type { RestoredRegion } from '../../kit/after-restore.service.ts';
import { forgetVerification } from '../connections/index.ts';

/** Ends verifications again that were ended after the copy was made, such as those that their provider revoked. */
export async function unverifyAgain({ tx, acts, report, record }: RestoredRegion): Promise<void> {
  report.verifications_ended = await acts.each('field.unverified', async (verification_id) => {
    if (!(await forgetVerification(tx, verification_id))) return false;
    await record({ act: 'field.unverified', object: verification_id });
    return true;
  });
}
