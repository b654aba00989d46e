import { constants, createCipheriv, createDecipheriv, createPublicKey, privateDecrypt, publicEncrypt, randomBytes } from 'node:crypto';

/*
 * The wrapper in which questions and replies travel: `{_enc: 1, k, iv, d}` as a JSON string. Each has an AES-256-GCM key of its own,
 * which is in k under the RSA key of the recipient (OAEP with SHA-256); d is the ciphertext and its tag. The forwarder, which carries
 * it, has neither key.
 */

const TAG_BYTES = 16;
const oaep = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };

/** Returns the text of a wrapper, or undefined when it was not sealed to this key. */
export function open(privateKey, wrapper) {
  try {
    const { k, iv, d } = JSON.parse(wrapper);
    const data = Buffer.from(d, 'base64');
    const key = privateDecrypt({ key: privateKey, ...oaep }, Buffer.from(k, 'base64'));
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64'), { authTagLength: TAG_BYTES });
    decipher.setAuthTag(data.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(data.subarray(0, -TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

/** Seals a text to a public key, which is the base64 of its DER, as in the question's `reply_key`. */
export function seal(public_key, text) {
  const recipient = createPublicKey({ key: Buffer.from(public_key, 'base64'), format: 'der', type: 'spki' });
  const [key, iv] = [randomBytes(32), randomBytes(12)];
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  const wrapper = {
    _enc: 1,
    k: publicEncrypt({ key: recipient, ...oaep }, key).toString('base64'),
    iv: iv.toString('base64'),
    d: data.toString('base64'),
  };
  return JSON.stringify(wrapper);
}
