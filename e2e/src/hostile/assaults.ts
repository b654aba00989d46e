import { randomBytes, randomUUID } from 'node:crypto';
import { companyData, discovery, documents, identity, regions, tokens } from '@codase/contracts';

/** An attack: what a stranger does with one connection. */
export interface Assault {
  name: string;
  /** The targets of the attack. */
  at: readonly TargetName[];
  /** How many connections are begun each second, and how many may be open, in a run at full strength. */
  perSecond: number;
  mostOpen: number;
  /** How long the connection is held, unless the server closes it earlier. */
  holdMs: number;
  /** The bytes that are sent first. */
  opening(): string | Buffer;
  /** Bytes that are sent repeatedly. */
  more?: { bytes: Buffer; everyMs: number; times: number };
  /** Whether the stranger leaves answers unread. */
  readsNothing?: boolean;
}

export const TARGET_NAMES = ['front-door', 'region', 'gateway', 'webhooks', 'ops'] as const;
export type TargetName = (typeof TARGET_NAMES)[number];
const EVERYWHERE: readonly TargetName[] = TARGET_NAMES;

export const HALF_HEADERS = 'half headers';

const MB = 1024 * 1024;
const HOUR_MS = 60 * 60 * 1000;

const request = (method: string, path: string, headers: readonly string[] = [], body: string | Buffer = '') =>
  Buffer.concat([Buffer.from([`${method} ${path} HTTP/1.1`, 'host: here', ...headers, '', ''].join('\r\n')), Buffer.from(body)]);
const post = (path: string, type: string, body: string | Buffer) =>
  request('POST', path, [`content-type: ${type}`, `content-length: ${Buffer.byteLength(body)}`], body);
const form = (path: string, fields: Record<string, string>) =>
  post(path, 'application/x-www-form-urlencoded', new URLSearchParams(fields).toString());

/** A form as the sign-in page sends it, with a wrong password. */
const guess = (email: string, redirect_uri: string) =>
  form(identity.authorize.path, {
    client_id: 'app_person',
    redirect_uri,
    response_type: 'code',
    state: randomUUID(),
    code_challenge: randomBytes(32).toString('base64url'),
    code_challenge_method: 'S256',
    email,
    password: randomUUID(),
    decision: 'allow',
  });

const many = (times: number, make: () => Buffer) => Buffer.concat(Array.from({ length: times }, make));
const pick = <T>(choices: readonly T[]): T => choices[Math.floor(Math.random() * choices.length)]!;
const token = () => pick([randomUUID(), [0, 1, 2].map(() => randomBytes(40).toString('base64url')).join('.')]);

const nested = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
const bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><x>&b;</x>';
const GARBAGE: readonly (() => string | Buffer)[] = [
  () => post(identity.signUp.path, 'application/json', '{"email": "x'),
  () => post(identity.signUp.path, 'application/json', nested),
  () => post(identity.signUp.path, 'application/xml', bomb),
  () => post(identity.signUp.path, 'application/xml', `${'<a>'.repeat(10_000)}`),
  () => post(tokens.issueToken.path, 'application/x-www-form-urlencoded', 'a=%zz&'.repeat(5000)),
  () => post(tokens.issueToken.path, 'application/x-www-form-urlencoded', randomBytes(2000)),
  () => randomBytes(3000),
  () => request('GET', `/${'x'.repeat(8000)}`),
  () => request('POST', tokens.issueToken.path, ['transfer-encoding: chunked'], 'zz\r\nnot a chunk\r\n'),
  () => request('POST', tokens.issueToken.path, ['content-length: -1']),
  () => request('PUT', '/%00%ff', ['content-length: 3', 'transfer-encoding: chunked'], '0\r\n\r\n'),
];

export const LONG_ANSWERS = [discovery.openapiDocument.path, '/docs/swagger-ui-bundle.js'];

/** The user whose password is guessed, and the company that has a token and misuses it. */
export interface Involved {
  victim: { email: string; redirect_uri: string };
  greedy: { token: string };
}

/** The beginning of a document that never ends. The region holds its payload while it arrives. */
const upload = ({ token }: Involved['greedy'], length: string) =>
  request(
    'POST',
    documents.createDocument.path,
    [`authorization: Bearer ${token}`, 'content-type: application/json', length],
    length.startsWith('content-length') ? UPLOAD_BEGINS : `${UPLOAD_BEGINS.length.toString(16)}\r\n${UPLOAD_BEGINS}\r\n`,
  );
const UPLOAD_BEGINS = '{"name":"Offer","payload_kind":"json","target":{"share_code":"ANA"},"value":"';
const PIECE = 'QUJD'.repeat(4096);
const CHUNK = `${PIECE.length.toString(16)}\r\n${PIECE}\r\n`;

/** All attacks of strangers, and of a company that sends endless long documents, more and more at once. */
export const assaults = ({ victim, greedy }: Involved): Assault[] => [
  {
    name: 'uploads',
    at: ['region'],
    perSecond: 5,
    mostOpen: 60,
    holdMs: HOUR_MS,
    opening: () => upload(greedy, `content-length: ${40 * MB}`),
    more: { bytes: Buffer.from(PIECE), everyMs: 100, times: 2500 },
  },
  {
    name: 'uploads of no length',
    at: ['region'],
    perSecond: 5,
    mostOpen: 60,
    holdMs: HOUR_MS,
    opening: () => upload(greedy, 'transfer-encoding: chunked'),
    more: { bytes: Buffer.from(CHUNK), everyMs: 100, times: 2500 },
  },
  {
    name: 'dripped uploads',
    at: ['region'],
    perSecond: 2,
    mostOpen: 60,
    holdMs: HOUR_MS,
    opening: () => upload(greedy, `content-length: ${40 * MB}`),
    more: { bytes: Buffer.from('QUJD'), everyMs: 2000, times: 2000 },
  },
  {
    name: 'bodies',
    at: ['front-door', 'region', 'gateway', 'webhooks', 'ops'],
    perSecond: 4,
    mostOpen: 40,
    holdMs: HOUR_MS,
    opening: () => request('POST', documents.createDocument.path, ['content-type: application/json', `content-length: ${85 * MB}`]),
    more: { bytes: Buffer.alloc(MB / 4, '{'), everyMs: 10, times: 85 * 4 },
  },
  {
    name: HALF_HEADERS,
    at: EVERYWHERE,
    perSecond: 60,
    mostOpen: 600,
    holdMs: HOUR_MS,
    opening: () => 'GET / HTTP/1.1\r\nhost: here\r\nx-slow: ',
    more: { bytes: Buffer.from('x'), everyMs: 4000, times: 1000 },
  },
  {
    name: 'slow bodies',
    at: ['front-door', 'region'],
    perSecond: 10,
    mostOpen: 100,
    holdMs: HOUR_MS,
    opening: () => request('POST', tokens.issueToken.path, ['content-type: application/x-www-form-urlencoded', 'content-length: 2000']),
    more: { bytes: Buffer.from('a'), everyMs: 2000, times: 2000 },
  },
  {
    name: 'bad tokens',
    at: ['front-door', 'region', 'gateway'],
    perSecond: 20,
    mostOpen: 100,
    holdMs: 2000,
    opening: () => many(5, () => request('GET', companyData.whoami.path, [`authorization: Bearer ${token()}`])),
  },
  {
    name: 'wrong secrets',
    at: ['front-door', 'region'],
    perSecond: 10,
    mostOpen: 50,
    holdMs: 2000,
    opening: () => form(tokens.issueToken.path, { grant_type: 'client_credentials', client_id: randomUUID(), client_secret: randomUUID() }),
  },
  {
    name: 'wrong passwords',
    at: ['front-door'],
    perSecond: 4,
    mostOpen: 20,
    holdMs: 5000,
    opening: () => guess(victim.email, victim.redirect_uri),
  },
  {
    name: 'slow readers',
    at: ['front-door'],
    perSecond: 2,
    mostOpen: 60,
    holdMs: HOUR_MS,
    readsNothing: true,
    opening: () => many(8, () => request('GET', pick(LONG_ANSWERS))),
  },
  {
    name: 'pipelining',
    at: ['front-door', 'region'],
    perSecond: 1,
    mostOpen: 5,
    holdMs: 2000,
    opening: () => many(1000, () => request('GET', regions.listRegions.path)),
  },
  {
    name: 'floods',
    at: ['front-door', 'region'],
    perSecond: 10,
    mostOpen: 50,
    holdMs: 2000,
    opening: () => many(10, () => request('GET', regions.listRegions.path)),
  },
  {
    name: 'huge headers',
    at: EVERYWHERE,
    perSecond: 20,
    mostOpen: 100,
    holdMs: 2000,
    opening: () => request('GET', '/', [`x-huge: ${'x'.repeat(60_000)}`]),
  },
  {
    name: 'garbage',
    at: ['front-door', 'region', 'gateway', 'webhooks'],
    perSecond: 20,
    mostOpen: 100,
    holdMs: 2000,
    opening: () => pick(GARBAGE)(),
  },
];
