import { AES_KEY_BYTES, openGcm } from './aes-gcm.ts';
import { decodeSized, encodeBase64 } from './base64.ts';
import { readEnvelope } from './envelope-shape.ts';
import { refusing } from './refusal.ts';
import { takeUtf8 } from './text.ts';

/** The parts of a value wrapper, for a reader without the private key. */
export interface ValueApart {
  /** The wrapped key in base64, for the holder of the private key to unwrap. */
  wrapped_key: string;
  /** Opens the clear text with the value's own key in base64. Every fault is the same refusal. */
  openWith(value_key: string): Promise<string>;
}

/** Takes a wrapper apart, so that only its wrapped key has to travel to the private key, and not a long value. @spec D1-2.3 @gap D1-2.8 */
export function takeApart(wrapper: string): Promise<ValueApart> {
  return refusing('envelope', () => {
    const { k, iv, d } = readEnvelope(wrapper);
    const openWith = (value_key: string) =>
      refusing('envelope', async () => takeUtf8(await openGcm(decodeSized(value_key, AES_KEY_BYTES), iv, d)));
    return { wrapped_key: encodeBase64(k), openWith };
  });
}
