import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authEnvelopedData, type Oaep, type Parts } from './cms.ts';

const AS_THE_PORTAL = ['-v2', 'aes-256-cbc', '-v2prf', 'hmacWithSHA256', '-iter', '100000'];

/**
 * The OpenSSL command line, a third-party program. Its CMS AuthEnvelopedData contains exactly what our envelopes contain (an AES-256 key
 * wrapped with RSA-OAEP, a 12-byte IV, AES-256-GCM ciphertext and tag), so OpenSSL makes and opens whole envelopes; only the encoding
 * differs.
 */
export class Openssl {
  readonly #dir = mkdtempSync(join(tmpdir(), 'codase-openssl-'));
  #throwawayKey: string | undefined;

  /** "OpenSSL 3.0.17 …", or undefined when none of version 3 or later is on the PATH. */
  static version(): string | undefined {
    const { stdout } = spawnSync('openssl', ['version'], { encoding: 'utf8' });
    return /^OpenSSL ([3-9]|\d\d)\./.test(stdout ?? '') ? stdout.trim() : undefined;
  }

  dispose(): void {
    rmSync(this.#dir, { recursive: true, force: true });
  }

  run(args: string[], input: Uint8Array = new Uint8Array()): Buffer {
    const { status, stdout, stderr } = spawnSync('openssl', args, { input, maxBuffer: 1 << 26 });
    if (status !== 0) throw new Error(`openssl ${args.join(' ')}: ${stderr.toString()}`);
    return stdout;
  }

  file(name: string, content: string | Uint8Array): string {
    const path = join(this.#dir, name);
    writeFileSync(path, content);
    return path;
  }

  /** A private key in the clear, as PEM. */
  createKey(...options: string[]): string {
    return this.run(['genpkey', '-quiet', ...options]).toString();
  }

  publicKey(privatePem: string): string {
    return this.run(['pkey', '-pubout', '-outform', 'DER'], Buffer.from(privatePem)).toString('base64');
  }

  /** Encrypted PKCS#8, by default as the portal offers it. */
  encryptPem(privatePem: string, passphrase: string, options = AS_THE_PORTAL): string {
    const pass = this.file('passphrase', passphrase);
    return this.run(['pkcs8', '-topk8', ...options, '-passout', `file:${pass}`], Buffer.from(privatePem)).toString();
  }

  decryptPem(encryptedPem: string, passphrase: string): string {
    return this.run(['pkcs8', '-passin', `file:${this.file('passphrase', passphrase)}`], Buffer.from(encryptedPem)).toString();
  }

  seal(oaep: Oaep, privatePem: string, plaintext: Uint8Array): Parts {
    const certificate = this.run(['req', '-x509', '-key', this.file('key.pem', privatePem), '-subj', '/CN=test', '-days', '1']);
    const padding = ['rsa_padding_mode:oaep', `rsa_oaep_md:${oaep}`, `rsa_mgf1_md:${oaep}`].flatMap((option) => ['-keyopt', option]);
    const recipient = ['-recip', this.file('certificate.pem', certificate), ...padding];
    return this.#partsOf(this.run(['cms', '-encrypt', '-aes-256-gcm', '-binary', '-outform', 'DER', ...recipient], plaintext));
  }

  open(oaep: Oaep, privatePem: string, parts: Parts): Buffer {
    const key = this.file('key.pem', privatePem);
    return this.run(['cms', '-decrypt', '-binary', '-inform', 'DER', '-inkey', key], authEnvelopedData(oaep, parts));
  }

  /** AES-256-GCM alone, under a key that OpenSSL chose. */
  sealGcm(plaintext: Uint8Array): { key: Buffer; iv: Buffer; d: Buffer } {
    const { k, iv, d } = this.seal('sha256', this.#throwaway(), plaintext);
    return { key: this.#oaep('-decrypt', k), iv, d };
  }

  openGcm(key: Uint8Array, iv: Buffer, d: Buffer): Buffer {
    return this.open('sha256', this.#throwaway(), { k: this.#oaep('-encrypt', key), iv, d });
  }

  pbkdf2(passphrase: string, salt: Buffer, iterations: number): Buffer {
    const options = ['digest:SHA256', `pass:${passphrase}`, `hexsalt:${salt.toString('hex')}`, `iter:${iterations}`];
    return this.run(['kdf', '-keylen', '32', '-binary', ...options.flatMap((option) => ['-kdfopt', option]), 'PBKDF2']);
  }

  hmac(secret: string, message: Uint8Array): string {
    const key = Buffer.from(secret).toString('hex');
    return this.run(['mac', '-digest', 'SHA256', '-macopt', `hexkey:${key}`, 'HMAC'], message)
      .toString()
      .trim()
      .toLowerCase();
  }

  sha256(message: Uint8Array): string {
    return this.run(['dgst', '-sha256', '-r'], message).toString().slice(0, 64);
  }

  #oaep(direction: '-encrypt' | '-decrypt', input: Uint8Array): Buffer {
    const padding = ['rsa_padding_mode:oaep', 'rsa_oaep_md:sha256', 'rsa_mgf1_md:sha256'].flatMap((option) => ['-pkeyopt', option]);
    return this.run(['pkeyutl', direction, '-inkey', this.file('key.pem', this.#throwaway()), ...padding], input);
  }

  /** A key that only carries an AES key into CMS and out of it. */
  #throwaway(): string {
    return (this.#throwawayKey ??= this.createKey('-algorithm', 'RSA'));
  }

  /** Reads the parts from OpenSSL's list of its own output: offset, depth, header and content length of every element. */
  #partsOf(cms: Buffer): Parts {
    const elements = this.run(['asn1parse', '-inform', 'DER'], cms).toString().split('\n').map(readElement);
    const octets = elements.filter(({ line }) => line.includes('OCTET STRING')).map((element) => contentOf(cms, element));
    const ciphertext = elements.find(({ depth, line }) => depth === 4 && line.includes('prim: cont [ 0 ]'));
    const [k, iv, tag] = octets;
    if (!k || !iv || !tag || !ciphertext) throw new Error('This OpenSSL did not write an AuthEnvelopedData as expected.');
    return { k, iv, d: Buffer.concat([contentOf(cms, ciphertext), tag]) };
  }
}

interface Element {
  line: string;
  offset: number;
  depth: number;
  header: number;
  length: number;
}

function readElement(line: string): Element {
  const [, offset, depth, header, length] = /^ *(\d+):d=(\d+) +hl=(\d+) l= *(\d+)/.exec(line) ?? [];
  return { line, offset: Number(offset), depth: Number(depth), header: Number(header), length: Number(length) };
}

function contentOf(bytes: Buffer, { offset, header, length }: Element): Buffer {
  return bytes.subarray(offset + header, offset + header + length);
}
