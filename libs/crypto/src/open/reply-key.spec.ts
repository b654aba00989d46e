import { importValuePublicKey, sealValue } from '../value-wrapper.ts';
import { createReplyKey } from './reply-key.ts';
import { openValue } from './value-wrapper.ts';

it('createReplyKey returns a key pair that opens a reply and whose private key cannot be exported @spec D2-4.5', async () => {
  const { reply_key, privateKey } = await createReplyKey();

  const reply = await sealValue(await importValuePublicKey(reply_key), '{"options":[]}');

  expect(await openValue(privateKey, reply)).toBe('{"options":[]}');
  expect(await privateKey.run(async (key) => key.extractable)).toBe(false);
});
