import { createHash, createPublicKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { ACT_HEADER, actOf, canonicalJson, digestedBody, STATEMENT_TYPE, type DeviceKey, type PersonAct } from '@codase/contracts';
import type { SentRequest } from '@codase/runtime/http';

/** What a device signs of a request. */
type Proven = Pick<SentRequest, 'contract' | 'url' | 'token'> & Partial<Pick<SentRequest, 'params' | 'body'>>;

/** A device with a key that never leaves it. It proves with each request that it has the key (DPoP, RFC 9449). */
export class Device {
  readonly key: DeviceKey;
  /** The files that were uploaded with this device: the digest of what is answered to who reads one, by its id. */
  private readonly files = new Map<string, string>();
  private readonly privateKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

  /** `now` is the clock of the device. */
  constructor(private readonly now: () => Date) {
    const { kty, crv, x, y } = createPublicKey(this.privateKey).export({ format: 'jwk' });
    this.key = { kty, crv, x, y } as DeviceKey;
  }

  /** The headers of a request: the proof, the token as one that is bound to the key, and over an act of the person a statement. */
  proves({ contract, params = {}, url, token, body }: Proven): Record<string, string> {
    const ath = token === undefined ? {} : { ath: createHash('sha256').update(token).digest('base64url') };
    const claims = { htm: contract.method, htu: url.split('?')[0], ...this.moment(), ...ath };
    return {
      dpop: this.signs('dpop+jwt', claims),
      ...(token !== undefined && { authorization: `DPoP ${token}` }),
      ...(contract.act !== undefined && { [ACT_HEADER]: this.states(actOf(contract, params, bodyOf(body))) }),
    };
  }

  /** A statement over an act: what is done, to what, and what the body says beside a file. */
  states(act: PersonAct): string {
    const digest = digestOf(digestedBody(act, digestOf));
    const named = [...this.files].filter(([file]) => JSON.stringify(act.body).includes(file));
    const files = named.length > 0 ? { files: digestOf(Object.fromEntries(named)) } : {};
    return this.signs(STATEMENT_TYPE, { act: act.act, on: act.on, digest, ...files, ...this.moment() });
  }

  /** Remembers a file that was uploaded, so that an answer which names it is signed with what is in it. */
  hasUploaded(file: string, value: string): void {
    const answer = canonicalJson({ encrypted: true, value });
    this.files.set(file, createHash('sha256').update(answer).digest('hex'));
  }

  /** When something is signed, and a name for it that comes once. */
  moment(): { iat: number; jti: string } {
    return { iat: Math.floor(this.now().getTime() / 1000), jti: randomUUID() };
  }

  /** Signs claims as a JWS of a type, with the public key in its header. */
  signs(typ: string, claims: object): string {
    const signed = [{ typ, alg: 'ES256', jwk: this.key }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const signature = sign('sha256', Buffer.from(signed), { key: this.privateKey, dsaEncoding: 'ieee-p1363' });
    return `${signed}.${signature.toString('base64url')}`;
  }
}

const digestOf = (part: unknown): string => createHash('sha256').update(canonicalJson(part)).digest('base64url');

const bodyOf = (sent: Proven['body']): object => (sent === undefined ? {} : (JSON.parse(String(sent)) as object));
