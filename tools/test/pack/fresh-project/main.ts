// A company's service in a project of its own: it has the three packages and nothing of this repository.
import { connect, type Inbox } from '@codase/client';
import { companyData, connections, Refusal } from '@codase/contracts';
import { FEED } from '@codase/contracts/feed-consumer';
import { CryptoRefusal, importValuePublicKey, createServiceKey, sealValue } from '@codase/crypto';
import { importValuePrivateKey, openEncryptedPrivateKey, openValue } from '@codase/crypto/open';

const { CODASE_URL: url = '', CODASE_USER: user = '', CODASE_PASSWORD: password = '' } = process.env;
const say = (what: string, facts: object = {}) => console.log(JSON.stringify({ what, ...facts }));

/** An inbox that is enough for a test in which nothing is killed; a real service uses postgresInbox. */
const inbox: Inbox<undefined> = {
  async once(_noted, work) {
    await work(undefined);
    return true;
  },
};

const { public_key, encrypted_private_key, passphrase } = await createServiceKey();
const privateKey = await importValuePrivateKey(await openEncryptedPrivateKey(encrypted_private_key, passphrase));
const opened = await openValue(privateKey, await sealValue(await importValuePublicKey(public_key), 'a word'));
const refused = await openValue(privateKey, 'not sealed').catch((error: unknown) => error instanceof CryptoRefusal);
say('sealed', { opened, refused });

const codase = await connect({ url, user, password, service: 'shop' });
const { service_id } = await codase.request(companyData.whoami, {});
say('who am I', { service_id: typeof service_id });
const refusal = await codase
  .request(connections.readConnection, { params: { connectionId: 'nobody' } })
  .catch((error: unknown) => (error instanceof Refusal ? error.key : String(error)));
say('refused', { refusal });

/** This must not compile, which shows that the declarations are real. */
export const notSealed = () =>
  // @ts-expect-error a clear text is not sealed
  codase.open([{ value: 'ana@lind.example' }]);

let done = () => {};
const heard = new Promise<void>((resolve) => (done = resolve));
await codase.handle('customers', inbox, {
  field_updated: async ({ slug, value }, { open }) => {
    if (!value) return;
    const { plaintext } = await open({ value, field_type: 'email' });
    say('heard', { slug, plaintext, on: FEED.stream });
    done();
  },
});
say('listening');
await heard;
await codase.close();
