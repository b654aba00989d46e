import { identity } from '@codase/contracts';
import { World } from '@codase/testing';
import fc from 'fast-check';
import { request } from 'undici';
import { crm, phone, proof, withRedirect } from '../../support/oauth-visitor.ts';
import { Reference, type ReferenceClient } from './oauth-reference.ts';

/** What a token request may be like, in words, because each server needs codes and tokens of its own for it. */
const ANY = {
  grant_type: fc.constantFrom(
    'client_credentials',
    'authorization_code',
    'refresh_token',
    'password',
    'CLIENT_CREDENTIALS',
    'client_credentials ',
    '__proto__',
    '',
    undefined,
  ),
  client: fc.constantFrom('crm', 'other', 'phone', 'unknown', 'upper case', 'nobody'),
  secret: fc.constantFrom('right', 'right', 'right', 'wrong', 'empty', 'with a blank', 'none'),
  sends: fc.constantFrom('body', 'body', 'header', 'both', 'header, garbled'),
  code: fc.constantFrom('fresh', 'fresh', 'fresh', 'used', "another client's", 'junk', 'none'),
  redirect_uri: fc.constantFrom('right', 'right', 'right', 'wrong', 'none'),
  verifier: fc.constantFrom('right', 'right', 'right', 'wrong', 'short', 'none'),
  refresh: fc.constantFrom('fresh', 'fresh', 'used', "another client's", 'junk', 'none'),
  extra: fc.constantFrom(
    'nothing',
    'nothing',
    'nothing',
    'an unknown parameter',
    'grant_type twice',
    'client_id twice',
    'code twice',
    'a scope',
  ),
  type: fc.constantFrom('form', 'form', 'form', 'form with charset', 'json', 'text'),
};
type Wanted = { [K in keyof typeof ANY]: (typeof ANY)[K] extends fc.Arbitrary<infer T> ? T : never };

const RIGHT: Wanted = {
  grant_type: 'client_credentials',
  client: 'crm',
  secret: 'right',
  sends: 'body',
  code: 'fresh',
  redirect_uri: 'right',
  verifier: 'right',
  refresh: 'fresh',
  extra: 'nothing',
  type: 'form',
};
/** Requests that both servers must accept. The fuzz begins with these. */
const ACCEPTED: readonly Wanted[] = [
  RIGHT,
  { ...RIGHT, sends: 'header' },
  { ...RIGHT, type: 'form with charset' },
  { ...RIGHT, extra: 'an unknown parameter' },
  { ...RIGHT, grant_type: 'authorization_code' },
  { ...RIGHT, grant_type: 'authorization_code', client: 'phone', secret: 'none' },
  { ...RIGHT, grant_type: 'refresh_token' },
  { ...RIGHT, grant_type: 'refresh_token', client: 'phone', secret: 'none' },
];

/** A right request with up to three members changed: any server refuses a request that is wrong in everything. */
const NEARLY_RIGHT = fc
  .tuple(fc.constantFrom(...ACCEPTED), fc.record(ANY), fc.subarray(Object.keys(ANY) as (keyof Wanted)[], { maxLength: 3 }))
  .map(([right, other, keys]): Wanted => ({ ...right, ...Object.fromEntries(keys.map((key) => [key, other[key]])) }));

/** The intended differences. Any other request that one server accepts and the other refuses is a fault. */
const INTENDED: readonly { why: string; is(wanted: Wanted, ours: Answer): boolean }[] = [
  {
    why: 'a parameter that comes twice is refused, one that the grant does not read too',
    is: ({ extra }, ours) => extra === 'code twice' && ours.error === 'invalid_request',
  },
  {
    why: 'redirect_uri is always said again, even by a client that has only one',
    is: ({ redirect_uri }, ours) => redirect_uri === 'none' && ours.error === 'invalid_request',
  },
  {
    why: 'a lost answer to a refresh is given again for ten seconds',
    is: ({ grant_type, refresh }, ours) => grant_type === 'refresh_token' && refresh === 'used' && ours.status === 200,
  },
  {
    why: 'there are no scopes here, so one that is asked for is ignored',
    is: ({ extra }, ours) => extra === 'a scope' && ours.status === 200,
  },
];

interface Answer {
  status: number;
  error: string | undefined;
}

/** One of the two servers: its token endpoint, and how it makes codes for a wanted request. */
interface Side {
  tokenUrl: string;
  code(client: ReferenceClient, challenge: string): Promise<string>;
}

describe('the token endpoint compared with another OAuth server @spec D1-4.1', () => {
  let world: World;
  let reference: Reference;
  let clients: Record<'crm' | 'other' | 'phone', ReferenceClient>;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door'] });
    await withRedirect(world, world.automation);
    await withRedirect(world, world.shop);
    clients = { crm: crm(world.automation), other: crm(world.shop), phone: phone(world) };
    reference = await Reference.open(Object.values(clients));
  });
  afterAll(async () => {
    await reference?.close();
    await world?.close();
  });

  const ours = (): Side => ({
    tokenUrl: `${world.frontDoorUrl}/oauth2/token`,
    async code({ client_id, redirect_uri }, code_challenge) {
      const { email, password } = client_id === 'app_person' ? world.person('ANA') : world.acme;
      const { location } = await world.stranger.asks(identity.authorize, {
        body: { client_id, redirect_uri, code_challenge, code_challenge_method: 'S256', email, password },
      });
      return new URL(location).searchParams.get('code')!;
    },
  });

  it('accepts and refuses the same random requests, except for the documented differences', async () => {
    const seen = { accepted: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(NEARLY_RIGHT, async (wanted) => {
        const [here, there] = [await asks(ours(), wanted), await asks(reference, wanted)];

        expect([here, there].filter(({ status }) => status >= 500)).toEqual([]);
        seen[here.status === 200 ? 'accepted' : 'refused']++;
        const isSplit = (here.status === 200) !== (there.status === 200);
        const isMeant = INTENDED.some(({ is }) => is(wanted, here));
        expect(isSplit && !isMeant ? { ours: here, theirs: there } : 'alike').toBe('alike');
      }),
      {
        numRuns: Number(process.env['CODASE_FUZZ_RUNS'] ?? 200),
        interruptAfterTimeLimit: 45_000,
        markInterruptAsFailure: false,
        examples: ACCEPTED.map((wanted) => [wanted]),
      },
    );
    expect(seen.accepted).toBeGreaterThan(ACCEPTED.length - 1);
    expect(seen.refused).toBeGreaterThan(20);
  });

  async function asks(side: Side, wanted: Wanted): Promise<Answer> {
    const { headers, body } = await spelled(side, wanted);
    const answer = await request(side.tokenUrl, { method: 'POST', headers, body });
    const { error } = (await answer.body.json().catch(() => ({}))) as { error?: string };
    return { status: answer.statusCode, error };
  }

  /** Writes the wanted request for one server, with codes and tokens of that server. */
  async function spelled(side: Side, wanted: Wanted) {
    const client = clients[wanted.client === 'other' || wanted.client === 'phone' ? wanted.client : 'crm'];
    const parameters: [string, string | undefined][] = [
      ['grant_type', wanted.grant_type],
      ...(await grantOf(side, wanted, client)),
      ...extraOf(wanted, client),
    ];
    const { headers, credentials } = authentication(wanted, client);
    const form = new URLSearchParams([...parameters, ...credentials].filter((pair): pair is [string, string] => pair[1] !== undefined));
    const isJson = wanted.type === 'json';
    return {
      headers: { ...headers, 'content-type': TYPES[wanted.type]! },
      body: isJson ? JSON.stringify(Object.fromEntries(form)) : String(form),
    };
  }

  async function grantOf(side: Side, { grant_type, ...wanted }: Wanted, client: ReferenceClient): Promise<[string, string | undefined][]> {
    if (grant_type === 'authorization_code') return codeOf(side, wanted, client);
    if (grant_type === 'refresh_token') return [['refresh_token', await refreshOf(side, wanted.refresh, client)]];
    return [];
  }

  async function codeOf(side: Side, wanted: Omit<Wanted, 'grant_type'>, client: ReferenceClient): Promise<[string, string | undefined][]> {
    const { code_verifier, code_challenge } = proof();
    const owner = wanted.code === "another client's" ? anotherThan(client) : client;
    const code = isMade(wanted.code) ? await side.code(owner, code_challenge) : unmade(wanted.code);
    if (wanted.code === 'used') await redeem(side, owner, code!, code_verifier);
    return [
      ['code', code],
      ['redirect_uri', { right: client.redirect_uri, wrong: `${client.redirect_uri}/x`, none: undefined }[wanted.redirect_uri]],
      ['code_verifier', { right: code_verifier, wrong: proof().code_verifier, short: 'short', none: undefined }[wanted.verifier]],
    ];
  }

  async function refreshOf(side: Side, kind: Wanted['refresh'], client: ReferenceClient): Promise<string | undefined> {
    if (!isMade(kind)) return unmade(kind);
    const owner = kind === "another client's" ? anotherThan(client) : client;
    const { code_verifier, code_challenge } = proof();
    const token = (await redeem(side, owner, await side.code(owner, code_challenge), code_verifier)).refresh_token;
    if (kind === 'used') await post(side, { grant_type: 'refresh_token', refresh_token: token, ...identityOf(owner) });
    return token;
  }

  const redeem = (side: Side, client: ReferenceClient, code: string, code_verifier: string) =>
    post(side, { grant_type: 'authorization_code', code, code_verifier, redirect_uri: client.redirect_uri, ...identityOf(client) });

  const anotherThan = (client: ReferenceClient) => (client === clients.crm ? clients.other : clients.crm);
});

const TYPES: Record<string, string> = {
  form: 'application/x-www-form-urlencoded',
  'form with charset': 'application/x-www-form-urlencoded; charset=utf-8',
  json: 'application/json',
  text: 'text/plain',
};

const isMade = (kind: Wanted['code']) => kind !== 'junk' && kind !== 'none';
const unmade = (kind: Wanted['code']) => (kind === 'junk' ? 'junk' : undefined);

const identityOf = ({ client_id, client_secret }: ReferenceClient) => ({ client_id, ...(client_secret && { client_secret }) });

async function post(side: Side, form: Record<string, string>): Promise<{ refresh_token: string }> {
  const answer = await request(side.tokenUrl, {
    method: 'POST',
    headers: { 'content-type': TYPES['form']! },
    body: String(new URLSearchParams(form)),
  });
  const body = await answer.body.json();
  expect({ status: answer.statusCode, body }).toMatchObject({ status: 200 });
  return body as { refresh_token: string };
}

function authentication({ client, secret, sends }: Wanted, { client_id: known, client_secret }: ReferenceClient) {
  const client_id = {
    crm: known,
    other: known,
    phone: known,
    unknown: 'acct_nobody',
    'upper case': known.toUpperCase(),
    nobody: undefined,
  }[client];
  const right = client_secret;
  const given = { right, wrong: 'wrong', empty: '', 'with a blank': `${right} `, none: undefined }[secret];
  const pair = `${encodeURIComponent(client_id ?? '')}:${encodeURIComponent(given ?? '')}`;
  const basic = `Basic ${Buffer.from(sends === 'header, garbled' ? 'no colon' : pair).toString('base64')}`;
  const headers: Record<string, string> = sends === 'body' ? {} : { authorization: basic };
  const credentials: [string, string | undefined][] =
    sends === 'header'
      ? []
      : [
          ['client_id', client_id],
          ['client_secret', given],
        ];
  return { headers, credentials };
}

function extraOf({ extra, grant_type }: Wanted, { client_id }: ReferenceClient): [string, string | undefined][] {
  switch (extra) {
    case 'an unknown parameter':
      return [['audience', 'x']];
    case 'grant_type twice':
      return [['grant_type', grant_type]];
    case 'client_id twice':
      return [
        ['client_id', client_id],
        ['client_id', client_id],
      ];
    case 'code twice':
      return [
        ['code', 'x'],
        ['code', 'y'],
      ];
    case 'a scope':
      return [['scope', 'company-data']];
    default:
      return [];
  }
}
