import { randomBytes, randomUUID } from 'node:crypto';
import { companyData, discovery, documents, identity, regions, tokens } from '@codase/contracts';

/** An attack: what a stranger does with one connection. */
export interface Assault {
  name: string;
  at: readonly TargetName[];
  /** How many connections are begun each second, and how many may be open, in a run at full strength. */
  perSecond: number;
  mostOpen: number;
  /** How long the connection is kept open, unless the server closes it earlier. */
  openMs: number;
  opening(): string | Buffer;
  more?: { bytes: Buffer; everyMs: number; times: number };
  /** Whether the stranger leaves answers unread. */
  readsNothing?: boolean;
}

export const TARGET_NAMES = ['front-door', 'region', 'gateway', 'webhooks', 'ops'] as const;
export type TargetName = (typeof TARGET_NAMES)[number];
const EVERYWHERE = TARGET_NAMES;

export const HALF_HEADERS = 'half headers';

const MB = 1024 * 1024;
const HOUR_MS = 60 * 60 * 1000;

const request = (method: string, path: string, headers: readonly string[] = [], body: string | Buffer = '') =>
  Buffer.concat([Buffer.from([`${method} ${path} HTTP/1.1`, 'host: localhost', ...headers, '', ''].join('\r\n')), Buffer.from(body)]);
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

type Opening = Assault['opening'];

/** An attack whose connections are kept open for two seconds, and at most as many are open as begin in five. */
const short = (name: string, at: readonly TargetName[], perSecond: number, opening: Opening): Assault => ({
  name,
  at,
  perSecond,
  mostOpen: 5 * perSecond,
  openMs: 2000,
  opening,
});

/** An attack whose connections are kept open until the server closes them. The bytes are sent repeatedly. */
const long = (
  name: string,
  at: readonly TargetName[],
  rate: Pick<Assault, 'perSecond' | 'mostOpen'>,
  opening: Opening,
  more: Assault['more'],
) => ({
  ...short(name, at, rate.perSecond, opening),
  ...rate,
  openMs: HOUR_MS,
  ...(more && { more }),
});

const bytes = (text: string | Buffer, everyMs: number, times: number): Assault['more'] => ({ bytes: Buffer.from(text), everyMs, times });

const SIGNING_IN: readonly TargetName[] = ['front-door', 'region'];
const WITH_TOKENS: readonly TargetName[] = [...SIGNING_IN, 'gateway'];
const FORM_BEGINS = ['content-type: application/x-www-form-urlencoded', 'content-length: 2000'];
const LONG_BODY = ['content-type: application/json', `content-length: ${85 * MB}`];
const UPLOAD_RATE = { perSecond: 5, mostOpen: 60 };
const wrongSecret = () => ({ grant_type: 'client_credentials', client_id: randomUUID(), client_secret: randomUUID() });
const regionLists = (times: number) => many(times, () => request('GET', regions.listRegions.path));
const withBadToken = () => request('GET', companyData.whoami.path, [`authorization: Bearer ${token()}`]);

/** All attacks of strangers, and of a company that sends endless long documents, more and more at once. */
export const assaults = ({ victim, greedy }: Involved): Assault[] => [
  long('uploads', ['region'], UPLOAD_RATE, () => upload(greedy, `content-length: ${40 * MB}`), bytes(PIECE, 100, 2500)),
  long('uploads of no length', ['region'], UPLOAD_RATE, () => upload(greedy, 'transfer-encoding: chunked'), bytes(CHUNK, 100, 2500)),
  long(
    'dripped uploads',
    ['region'],
    { ...UPLOAD_RATE, perSecond: 2 },
    () => upload(greedy, `content-length: ${40 * MB}`),
    bytes('QUJD', 2000, 2000),
  ),
  long(
    'bodies',
    EVERYWHERE,
    { perSecond: 4, mostOpen: 40 },
    () => request('POST', documents.createDocument.path, LONG_BODY),
    bytes(Buffer.alloc(MB / 4, '{'), 10, 85 * 4),
  ),
  long(
    HALF_HEADERS,
    EVERYWHERE,
    { perSecond: 60, mostOpen: 600 },
    () => 'GET / HTTP/1.1\r\nhost: localhost\r\nx-slow: ',
    bytes('x', 4000, 1000),
  ),
  long(
    'slow bodies',
    SIGNING_IN,
    { perSecond: 10, mostOpen: 100 },
    () => request('POST', tokens.issueToken.path, FORM_BEGINS),
    bytes('a', 2000, 2000),
  ),
  short('bad tokens', WITH_TOKENS, 20, () => many(5, withBadToken)),
  short('wrong secrets', SIGNING_IN, 10, () => form(tokens.issueToken.path, wrongSecret())),
  { ...short('wrong passwords', ['front-door'], 4, () => guess(victim.email, victim.redirect_uri)), openMs: 5000 },
  {
    ...long(
      'slow readers',
      ['front-door'],
      { ...UPLOAD_RATE, perSecond: 2 },
      () => many(8, () => request('GET', pick(LONG_ANSWERS))),
      undefined,
    ),
    readsNothing: true,
  },
  short('pipelining', SIGNING_IN, 1, () => regionLists(1000)),
  short('floods', SIGNING_IN, 10, () => regionLists(10)),
  short('huge headers', EVERYWHERE, 20, () => request('GET', '/', [`x-huge: ${'x'.repeat(60_000)}`])),
  short('garbage', [...WITH_TOKENS, 'webhooks'], 20, () => pick(GARBAGE)()),
];
