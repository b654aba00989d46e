import { AES_KEY_BYTES, openGcm } from './aes-gcm.ts';
import { decodeSized, encodeBase64 } from './base64.ts';
import { readEnvelope } from './envelope-shape.ts';
import { refusing } from './refusal.ts';
import { decodeUtf8 } from './text.ts';

/** A value wrapper in the hands of one who has no private key. */
export interface ValueApart {
  /** For the one who has it to unwrap, in base64. */
  wrapped_key: string;
  /** The clear text, by the value's own key in base64; every fault is the same refusal. */
  openWith(value_key: string): Promise<string>;
}

/** Takes a wrapper apart, so that a long value need not travel to the private key: its own key does. @spec D1-2.3 @gap D1-2.8 */
export function takeApart(wrapper: string): Promise<ValueApart> {
  return refusing('envelope', () => {
    const { k, iv, d } = readEnvelope(wrapper);
    const openWith = (value_key: string) =>
      refusing('envelope', async () => decodeUtf8(await openGcm(decodeSized(value_key, AES_KEY_BYTES), iv, d)));
    return { wrapped_key: encodeBase64(k), openWith };
  });
}
