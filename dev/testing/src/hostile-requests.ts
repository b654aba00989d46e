import fc from 'fast-check';

/** A request as it goes over the wire: nothing corrects it before it reaches the server. */
export interface Wire {
  target: string;
  /** Whether the path is written in another way than the operation's own, so that another operation may answer, or none. */
  isPathBent: boolean;
  headers: Record<string, string>;
  body: Buffer | undefined;
}

/** What is known of an operation that is attacked. */
export interface Target {
  method: string;
  /** The path with its parameters in braces. */
  path: string;
  consumes: 'structured' | 'form' | 'file';
  /** Values of a path parameter. `before` is the part of the path before the parameter. */
  parameter(name: string, before: string): fc.Arbitrary<string>;
  /** A query that is answered; undefined when the operation reads none. */
  query?: Readonly<Record<string, unknown>> | undefined;
  /** Bodies that are accepted, or nearly. */
  bodies: fc.Arbitrary<unknown>;
}

/** Texts that have broken servers before. */
const NASTY = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\u202e',
  '\ud800',
  '💣'.repeat(50),
  'x'.repeat(5000),
  '../../etc/passwd',
  '%00',
  '%2e%2e%2f',
  "'; drop table account; --",
  '${7*7}',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '__proto__',
  'constructor',
  'null',
  'true',
  '-1',
  '1e309',
  'NaN',
  '٣',
  'usr_demo_bolt',
  '*',
  'https://[::1',
  'javascript:alert(1)',
  '2026-02-30',
];
const nastyText = fc.constantFrom(...NASTY);
const nastyValue = fc.oneof(
  nastyText,
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, 2 ** 53, 1e308, [], {}, [[]], [null], { a: 1 }, { __proto__: null, toString: 1 }),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Variants of a structure: some of its members are replaced or left out, or an unknown one is added. */
export const bent = (value: unknown): fc.Arbitrary<unknown> => {
  if (Array.isArray(value))
    return fc.oneof(
      nastyValue,
      fc.tuple(...value.map(bent)),
      fc.constant([...value, ...value]),
      fc.constant(Array.from({ length: 1000 }, () => value[0] ?? 0)),
    );
  if (typeof value !== 'object' || value === null)
    return fc.oneof({ weight: 2, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: nastyValue });
  const members = Object.entries(value).map(([name, member]) =>
    fc.tuple(fc.constant(name), fc.oneof({ weight: 3, arbitrary: bent(member) }, { weight: 1, arbitrary: fc.constant(undefined) })),
  );
  const extra = fc.option(
    fc.tuple(fc.constantFrom('company_user_id', 'service_id', 'epoch', 'region', 'whitelist', '__proto__', 'constructor', 'x'), nastyValue),
    { freq: 4 },
  );
  return fc.tuple(fc.tuple(...members), extra).map(([kept, more]) => Object.fromEntries([...kept, ...(more ? [more] : [])]));
};

const JSON_TYPE = { 'content-type': 'application/json' };
const XML_TYPE = { 'content-type': 'application/xml' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };
const PDF_TYPE = { 'content-type': 'application/pdf' };
const asForm = (file: Buffer) =>
  Buffer.concat([
    Buffer.from('--b0\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'),
    file,
    Buffer.from('\r\n--b0--'),
  ]);
/** Files that are no PDFs, or that cost more to read than they should. */
const BROKEN_FILES: readonly (readonly [Record<string, string>, Buffer])[] = [
  '%PDF-1.7\nstartxref\n9\n%%EOF',
  `%PDF-1.7\n1 0 obj ${'['.repeat(5000)} endobj\nstartxref\n9\n%%EOF`,
  '%PDF-1.7\nxref\n0 1\n0000000000 65535 f\r\ntrailer\n<< /Root 1 0 R /Prev 9 >>\nstartxref\n9\n%%EOF',
  '%PDF-1.7 /ByteRange [0 1 2 99999999999] /Contents <00> /SubFilter /ETSI.CAdES.detached',
  'no PDF',
].flatMap((text) => [
  [PDF_TYPE, Buffer.from(text)],
  [{ 'content-type': 'multipart/form-data; boundary=b0' }, asForm(Buffer.from(text))],
]);
/** More values than a body may have, within the length that most routes read. */
const MANY = 120_000;
const deep = (open: string, close: string) => Buffer.from(`{"name":${open.repeat(50_000)}${close.repeat(50_000)}}`);

/** Bodies that are no structure at all, or that cost more to read than they should. */
const BROKEN_BODIES: readonly (readonly [Record<string, string>, Buffer])[] = [
  [JSON_TYPE, Buffer.from('{"name":')],
  [JSON_TYPE, Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
  [JSON_TYPE, Buffer.from('"text"')],
  [JSON_TYPE, Buffer.from('[]')],
  [JSON_TYPE, Buffer.from('null')],
  [JSON_TYPE, Buffer.from('1e400')],
  [JSON_TYPE, deep('[', ']')],
  [JSON_TYPE, deep('{"a":', '}')],
  [JSON_TYPE, Buffer.from(`{"name":[${'{},'.repeat(MANY)}{}]}`)],
  [JSON_TYPE, Buffer.from(`{"name":"${'x'.repeat(1024 * 1024 + 1)}"}`)],
  [JSON_TYPE, Buffer.from('{"name":"a","name":"b","__proto__":{"admin":true}}')],
  [{ 'content-type': 'application/json; charset=utf-16' }, Buffer.from('{"name":"a"}', 'utf16le')],
  [{ 'content-type': 'text/plain' }, Buffer.from('hello')],
  [{ 'content-type': 'multipart/form-data; boundary=x' }, Buffer.from('--x\r\n\r\na\r\n--x--')],
  [{ 'content-type': '' }, Buffer.from('{}')],
  [{ ...JSON_TYPE, 'content-encoding': 'gzip' }, Buffer.from([0x1f, 0x8b, 0x08])],
  [XML_TYPE, Buffer.from('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a><name>&x;</name></a>')],
  [XML_TYPE, Buffer.from('<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><a><name>&b;</name></a>')],
  [XML_TYPE, Buffer.from('<a>'.repeat(50_000))],
  [XML_TYPE, Buffer.from(`<a>${'<b/>'.repeat(MANY)}</a>`)],
  [XML_TYPE, Buffer.from('<a><name type="number">x</name><name/></a>')],
  [XML_TYPE, Buffer.from('<?xml-stylesheet href="x"?><a/>')],
  [FORM_TYPE, Buffer.from('grant_type=%ff&client_id=%00&client_id=b')],
  [FORM_TYPE, Buffer.from(`a=${'%41'.repeat(100_000)}`)],
];

const HOSTILE_HEADERS: readonly Record<string, string>[] = [
  {},
  { accept: 'application/xml' },
  { accept: 'text/html' },
  { accept: 'image/png' },
  { accept: ','.repeat(3000) },
  { accept: '*/*;q=nonsense' },
  { 'x-forwarded-for': '127.0.0.1' },
  { 'x-http-method-override': 'DELETE' },
  { authorization: `Bearer ${'a.'.repeat(3000)}` },
  { authorization: 'Basic Og==' },
  { cookie: 'x='.repeat(2000) },
  { traceparent: 'nonsense' },
  { 'x-big': 'y'.repeat(12_000) },
];

/** Other ways to write a path, and ways that lead out of it. */
const bentPaths = (path: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    path,
    `/${path}`,
    `${path}/`,
    `${path}//`,
    `/.${path}`,
    `/x/..${path}`,
    path.replace('/api', '/%61pi'),
    path.replace(/\/([^/]*)$/, '/%2e%2e/$1'),
    `${path}%00`,
    `${path}%`,
    `${path}%zz`,
    `${path};x=1`,
    path.toUpperCase(),
    `${path}\\..`,
    `http://other.example${path}`,
    `${path}?limit=1&limit=2`,
    `${path}?limit[]=1&cursor=%00`,
    `${path}?__proto__[x]=1&usertype=nobody`,
    `${path}?cursor=${'A'.repeat(5000)}`,
    `${path}#fragment`,
  );

const filledPath = ({ path, parameter }: Target): fc.Arbitrary<string> => {
  const parameters = [...path.matchAll(/{(\w+)}/g)].map(({ 1: name, index }) =>
    fc.oneof({ weight: 3, arbitrary: parameter(name!, path.slice(0, index)) }, { weight: 1, arbitrary: nastyText }),
  );
  return fc.tuple(...parameters).map((texts) => {
    const segments = texts.map((text) => encodeURIComponent(text.toWellFormed())).values();
    return path.replace(/{\w+}/g, () => segments.next().value || '-');
  });
};

const encoded = ({ consumes }: Target, body: unknown): readonly [Record<string, string>, Buffer] => {
  if (consumes !== 'form') return [JSON_TYPE, Buffer.from(JSON.stringify(body) ?? '')];
  return [FORM_TYPE, Buffer.from(asParameters(body))];
};

const asParameters = (members: unknown): string =>
  String(
    new URLSearchParams(
      Object.entries((members ?? {}) as object).map(([name, value]): [string, string] => [
        name,
        typeof value === 'string' ? value.toWellFormed() : (JSON.stringify(value) ?? ''),
      ]),
    ),
  );

/** Requests to one operation that a person with bad intentions, or a broken program, would send. */
export function hostileRequests(target: Target): fc.Arbitrary<Wire> {
  const { method, consumes, query } = target;
  const bodies =
    method === 'GET' || method === 'DELETE'
      ? fc.constant<readonly [Record<string, string>, Buffer | undefined]>([{}, undefined])
      : fc.oneof(
          { weight: 3, arbitrary: target.bodies.map((body) => encoded(target, body)) },
          { weight: 1, arbitrary: fc.constantFrom(...BROKEN_BODIES) },
          ...(consumes === 'file' ? [{ weight: 4, arbitrary: fc.constantFrom(...BROKEN_FILES) }] : []),
        );
  const targets = filledPath(target).chain((path) =>
    fc.oneof(
      {
        weight: 3,
        arbitrary: (query ? bent(query).map((members) => `${path}?${asParameters(members)}`) : fc.constant(path)).map(asItIs),
      },
      { weight: 1, arbitrary: bentPaths(path).map((bentPath) => ({ target: bentPath, isPathBent: true })) },
    ),
  );
  return fc
    .tuple(
      targets,
      bodies,
      fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: fc.constantFrom(...HOSTILE_HEADERS) }),
    )
    .map(([path, [type, body], headers]) => ({ ...path, headers: { ...type, ...headers }, body }));
}

const asItIs = (target: string) => ({ target, isPathBent: false });
