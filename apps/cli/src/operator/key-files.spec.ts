import * as platform from '@codase/platform';
import { inTempTree } from '@codase/testing/temp-tree';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { progressBeside, secretKeyFile, signingKeyFile, takeTurn } from './key-files.ts';

const json = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;

describe('key file', () => {
  it('keeps its file mode when it is rewritten, and updates its copy', () =>
    inTempTree({ keys: `# for people\n${randomBytes(32).toString('base64')}`, copies: '{"us":"x"}' }, (dir) => {
      chmodSync(`${dir}/keys`, 0o600);
      const file = secretKeyFile(platform, `${dir}/keys`, { path: `${dir}/copies`, member: 'eu' });
      const [first] = file.read();
      const second = file.create();

      file.write([second, first!]);

      expect(file.read()).toEqual([second, first]);
      expect(json(`${dir}/copies`)).toEqual({ us: 'x', eu: `${second.text}\n${first!.text}` });
      expect(statSync(`${dir}/keys`).mode & 0o777).toBe(0o600);
    }));

  it("keeps its group and the group's permissions when another user rewrites it", () =>
    inTempTree({ keys: randomBytes(32).toString('base64'), 'keys.new': 'left by a run that was killed' }, (dir) => {
      const gid = process.getuid!() === 0 ? 4242 : process.getgroups!().at(-1)!;
      chownSync(`${dir}/keys`, process.getuid!(), gid);
      chmodSync(`${dir}/keys`, 0o660);
      chmodSync(`${dir}/keys.new`, 0o666);
      const file = secretKeyFile(platform, `${dir}/keys`);

      file.write([file.create()]);

      const { mode, gid: kept } = statSync(`${dir}/keys`);
      expect({ mode: (mode & 0o777).toString(8), gid: kept }).toEqual({ mode: '660', gid });
      expect(readdirSync(dir)).toEqual(['keys']);
    }));

  it('writes the public halves of signing keys to the file that every base reads', () => {
    const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    return inTempTree({ keys: pem, known: '{"front-door":[],"eu":[]}' }, (dir) => {
      const file = signingKeyFile(platform, `${dir}/keys`, { path: `${dir}/known`, base: 'eu' });
      const second = file.create();

      file.write([...file.read(), second]);

      expect(file.read()[1]).toEqual(second);
      expect(json(`${dir}/known`)).toMatchObject({
        'front-door': [],
        eu: [
          { kty: 'EC', crv: 'P-256' },
          { kty: 'EC', crv: 'P-256' },
        ],
      });
      expect(readFileSync(`${dir}/known`, 'utf8')).not.toContain('"d"');
    });
  });

  it('is rejected when it is missing or contains no keys', () =>
    inTempTree({ keys: 'x' }, (dir) => {
      expect(() => secretKeyFile(platform, `${dir}/keys`).read()).toThrow('holds no keys');
      expect(() => secretKeyFile(platform, `${dir}/nowhere`).read()).toThrow('cannot be read');
      expect(() => signingKeyFile(platform, `${dir}/keys`, { path: `${dir}/known`, base: 'eu' }).read()).toThrow('no private key');
    }));

  it('has the progress of its rotation in a file beside it', () =>
    inTempTree({ keys: 'x' }, (dir) => {
      const progress = progressBeside(`${dir}/keys`);
      expect(progress.read()).toBeUndefined();

      progress.write({ new_id: 'k' });

      expect(progressBeside(`${dir}/keys`).read()).toEqual({ new_id: 'k' });
      progress.remove();
      expect(existsSync(`${dir}/keys.rotation`)).toBe(false);
    }));

  it('is rotated by one command at a time, and the lock of a killed command does not block the next one', () =>
    inTempTree({ keys: '', 'keys.rotation.lock': JSON.stringify({ pid: process.pid, born: 'long ago', since: 'long ago' }) }, (dir) => {
      const turn = takeTurn(`${dir}/keys`);

      expect(() => takeTurn(`${dir}/keys`)).toThrow(`The process ${process.pid} rotates`);
      turn.release();
      takeTurn(`${dir}/keys`).release();
      expect(readdirSync(dir)).toEqual(['keys']);
    }));
});
