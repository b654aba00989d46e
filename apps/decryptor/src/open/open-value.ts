import { Refusal, type Opened, type ToOpen } from '@cds/contracts';
import { isAttested } from '@cds/crypto';
import { CryptoRefusal, openValue, type ValuePrivateKey } from '@cds/crypto/open';
import { validatePlaintext, type FieldTypes } from '@cds/domain/field-types';

/** The clear text of a value, whether it is the one that was verified, and what its type makes of it. @spec D1-2.3 @spec D1-2.7 */
export async function openAndJudge(key: ValuePrivateKey, types: FieldTypes, { value, verification, field_type }: ToOpen): Promise<Opened> {
  const plaintext = await readable(openValue(key, value));
  return {
    plaintext,
    attested: verification ? await isAttested(verification, plaintext) : null,
    ...(field_type !== undefined && judged(types, field_type, plaintext)),
  };
}

/** Whatever is wrong with a value or an envelope, the answer is the same. @gap D1-2.3 */
export async function readable(opening: Promise<string>): Promise<string> {
  return opening.catch((error: unknown) => {
    throw error instanceof CryptoRefusal ? new Refusal('decryptor.unreadable') : error;
  });
}

function judged(types: FieldTypes, field_type: string, plaintext: string): Pick<Opened, 'value' | 'misfit'> {
  const verdict = validatePlaintext(types, field_type, plaintext);
  return verdict.ok ? { value: verdict.normalised } : { misfit: { ...verdict.reason } };
}
