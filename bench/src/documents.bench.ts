import {
  constants,
  createCipheriv,
  createHash,
  createPublicKey,
  createSign,
  publicEncrypt,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import { createServiceKey, importValuePublicKey, sealValueInPieces, type ValuePublicKey } from '@codase/crypto';
import { createIdentity, PdfProcesses, type SealIdentity } from '@codase/pdf';
import { bench, type Contender } from './harness/bench.ts';
import { pdfOf } from './harness/pdf-of.ts';
import { repeatAsync } from './harness/repeat.ts';

const MB = 1024 * 1024;
const SIZES = { '100kb': MB / 10, '2_5mb': 2.5 * MB, '25mb': 25 * MB };
type Size = keyof typeof SIZES;
/** The size of the pieces in which the plaintext of a copy arrives. */
const CHUNK = 48 * 1024;

interface State {
  identity: SealIdentity;
  processes: PdfProcesses;
  pdfs: Record<Size, Buffer>;
  parties: readonly { key: ValuePublicKey; bare: KeyObject }[];
}

const acts = ['Ana', 'Ben'].map((signer_first_name) => ({
  action: 'signed' as const,
  method: 'biometric' as const,
  signer_first_name,
  signer_last_name: 'Lind',
  signer_name_verified: true,
  created_at: '2026-11-16T13:00:00Z',
}));

/** The work that no seal can avoid: digests of the signed and the sealed document, a signature, and a key and AES for each party. */
const bare = (size: Size): Contender<State> =>
  repeatAsync(async ({ pdfs, identity, parties }) => {
    const bytes = pdfs[size];
    const digests = [bytes, bytes].map((each) => createHash('sha256').update(each).digest());
    createSign('sha256').update(Buffer.concat(digests)).sign(identity.key);
    return parties.map((party) => {
      const key = randomBytes(32);
      const k = publicEncrypt({ key: party.bare, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }, key);
      const cipher = createCipheriv('aes-256-gcm', key, randomBytes(12));
      return [k, cipher.update(bytes), cipher.final(), cipher.getAuthTag()];
    });
  });

const ours = (size: Size): Contender<State> =>
  repeatAsync(async ({ processes, pdfs, identity, parties }) => {
    const words = { reason: 'Signed by all', signer: 'Bench', time: new Date(), signaturesPage: { document_name: 'Contract', acts } };
    const sealed = await processes.seal(pdfs[size], { ...identity, ...words });
    let chars = 0;
    for (const { key } of parties) for await (const piece of sealValueInPieces(key, chunksOf(sealed))) chars += piece.length;
    return chars;
  });

async function* chunksOf(bytes: Buffer): AsyncIterable<Uint8Array> {
  for (let from = 0; from < bytes.length; from += CHUNK) yield bytes.subarray(from, from + CHUNK);
}

async function party(): Promise<State['parties'][number]> {
  const { public_key } = await createServiceKey();
  const bare = createPublicKey({ key: Buffer.from(public_key, 'base64'), format: 'der', type: 'spki' });
  return { key: await importValuePublicKey(public_key), bare };
}

/** Measures the Signatures page and the seal in their own process, and a copy for each party, by size. */
export default bench({
  name: 'documents',
  what: 'documents sealed and encrypted for two parties, against bare SHA-256, RSA and AES-256-GCM of the same bytes',
  unit: 'documents/s',
  seconds: 60,
  setup: async (): Promise<State> => {
    const pdfs = Object.fromEntries(Object.entries(SIZES).map(([size, bytes]) => [size, pdfOf(bytes)])) as State['pdfs'];
    const parties = [await party(), await party()];
    return { identity: await createIdentity({ name: 'Bench' }), processes: new PdfProcesses({ size: 1 }), pdfs, parties };
  },
  teardown: ({ processes }) => processes.stop(),
  contenders: {
    bare_100kb: bare('100kb'),
    ours_100kb: ours('100kb'),
    bare_2_5mb: bare('2_5mb'),
    ours_2_5mb: ours('2_5mb'),
    bare_25mb: bare('25mb'),
    ours_25mb: ours('25mb'),
  },
  bar: [
    { name: 'ten times the bytes cost at most twelve times as much', figure: 'p50_ms', of: 'ours_25mb', over: 'ours_2_5mb', atMost: 12 },
    { name: '25 MB against the bare work', figure: 'p50_ms', of: 'ours_25mb', over: 'bare_25mb', atMost: 4 },
  ],
});
