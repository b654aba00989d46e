import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { buildPdf } from '../../test/build-pdf.ts';
import { OTHER, PLATFORM, SEAL } from '../../test/identities.ts';
import { startAuthority, TSA_CERTIFICATE, type Answer } from '@codase/testing/timestamp-authority';
import { seal } from '../seal.ts';
import { verify } from '../verify.ts';
import { TimestampFault, type TimestampAuthority } from './timestamp.ts';

/** Seals with a timestamp authority that gives this answer. */
async function sealWith(answer: Answer | undefined, more: Partial<TimestampAuthority> = {}): Promise<Buffer> {
  const authority = await startAuthority(answer);
  try {
    return await seal(buildPdf(), { ...SEAL, timestampAuthority: { url: authority.url, ...more } });
  } finally {
    await authority.stop();
  }
}

/** Sends a byte now and then, for a long time. */
const drips: Answer = async (_, __, response) => {
  response.writeHead(200);
  for (let sent = 0; sent < 300 && !response.destroyed; sent++) {
    response.write(Buffer.from([0x30]));
    await pause(50);
  }
  response.end();
  return undefined;
};

const flip = (bytes: Buffer, at: number) => {
  const changed = Buffer.from(bytes);
  changed[at]! ^= 1;
  return changed;
};

describe('sealing with a timestamp authority', () => {
  it("embeds the authority's token, and verify reports its time and certificate", async () => {
    const before = Date.now();

    const sealed = await sealWith(undefined, { certificates: [TSA_CERTIFICATE] });

    const { verdict, signatures } = verify(sealed, { certificates: [PLATFORM.certificate] });
    expect(verdict).toBe('sealed');
    expect(signatures[0]!.timestamp!.certificate.subject).toBe('CN=Test timestamps, O=Tests');
    const at = Date.parse(signatures[0]!.timestamp!.at);
    expect(at).toBeGreaterThan(before - 2000);
    expect(at).toBeLessThan(Date.now() + 2000);
    const token = sealed.indexOf(Buffer.from('Test timestamps').toString('hex'));
    expect(verify(flip(sealed, token), { certificates: [PLATFORM.certificate] }).verdict).toBe('altered');
  });

  it.each<[string, Answer, string]>([
    ['stamps something else', (query, stamp) => stamp(flip(query, query.length - 20)), 'stamps something else'],
    ['answers another nonce', (query, stamp) => stamp(flip(query, query.length - 5)), 'answers another request'],
    ['refuses', (query, stamp) => stamp(query.subarray(0, 10)), 'refuses to stamp'],
    ['answers words', async () => Buffer.from('<html>'), 'is no timestamp'],
    ['has a broken signature', async (query, stamp) => stamp(query).then((reply) => flip(reply, reply.length - 4)), 'is damaged'],
    ['answers without end', async () => Buffer.alloc(1024 * 1024), 'is too long'],
    ['fails', async (_, __, response) => void response.writeHead(503).end(), 'answers 503'],
    [
      'sends us elsewhere',
      async (_, __, response) => void response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
      'cannot be reached',
    ],
  ])('fails when the authority %s', async (_, answer, sentence) => {
    const sealing = sealWith(answer);

    await expect(sealing).rejects.toThrow(TimestampFault);
    await expect(sealing).rejects.toThrow(sentence);
  });

  it('fails after the timeout when the authority does not respond', async () => {
    await expect(sealWith(() => Promise.resolve(undefined), { timeoutMs: 20 })).rejects.toThrow('took too long');
  });

  it('fails after the timeout when the authority sends single bytes slowly, even with garbage collection', async () => {
    setFlagsFromString('--expose-gc');
    const collecting = setInterval(runInNewContext('gc') as () => void, 50);
    try {
      await expect(sealWith(drips, { timeoutMs: 500 })).rejects.toThrow('took too long');
    } finally {
      clearInterval(collecting);
    }
  });

  it('fails when the authority has another certificate than the configured one', async () => {
    await expect(sealWith(undefined, { certificates: [OTHER.certificate] })).rejects.toThrow('another authority');
  });
});
