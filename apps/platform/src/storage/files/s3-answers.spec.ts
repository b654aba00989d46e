import { isObjectKey, newObjectKey, prefixOf } from './object-keys.ts';
import { codeIn, faultOfAnswer, faultOfConnection } from './s3-faults.ts';
import { keysIn } from './s3-object-store.service.ts';

const answer = (status: number, code?: string) => faultOfAnswer({ status, code, bucket: 'files' });

describe('S3 answer', () => {
  it.each([
    [403, 'InvalidAccessKeyId', 'check S3_ACCESS_KEY_ID'],
    [403, 'SignatureDoesNotMatch', 'check S3_SECRET_ACCESS_KEY'],
    [403, 'AccessDenied', 'its policy must allow s3:ListBucket, s3:GetObject, s3:PutObject, s3:DeleteObject'],
    [403, undefined, 'refuses access to bucket files'],
    [403, 'RequestTimeTooSkewed', 'set them by NTP'],
    [404, 'NoSuchBucket', 'has no bucket files'],
    [301, undefined, 'check S3_ENDPOINT'],
    [400, 'AuthorizationHeaderMalformed', 'check S3_REGION'],
  ])('%d %s is reported with the setting to fix', (status, code, sentence) => {
    expect(answer(status, code)).toMatchObject({ kind: 'settings', message: expect.stringContaining(sentence) as string });
  });

  it('is a missing object for 404, and an unreachable store for 5xx', () => {
    expect(answer(404, 'NoSuchKey').kind).toBe('missing');
    expect(answer(404).kind).toBe('missing');
    expect(answer(503, 'SlowDown').kind).toBe('unreachable');
    expect(answer(500).kind).toBe('unreachable');
  });

  it.each([
    ['ECONNREFUSED', 'unreachable'],
    ['UND_ERR_SOCKET', 'unreachable'],
    [undefined, 'unreachable'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'settings'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'settings'],
    ['ENOTFOUND', 'settings'],
  ])('a connection error %s is classified as %s', (code, kind) => {
    expect(faultOfConnection(code).kind).toBe(kind);
  });

  it('is parsed from XML to its error code or its list of keys', () => {
    expect(codeIn('<?xml version="1.0"?><Error><Code>NoSuchKey</Code><Key>a</Key></Error>')).toBe('NoSuchKey');
    expect(codeIn('<html>')).toBeUndefined();
    const contents = '<Contents><Size>1</Size><Key>a&amp;b&#x20;c</Key></Contents><Contents>\n<Key>d</Key></Contents>';
    const listed = (isTruncated: string) => keysIn(`<R><Prefix>a</Prefix><IsTruncated>${isTruncated}</IsTruncated>${contents}</R>`);
    expect(listed('true')).toEqual({ keys: ['a&b c', 'd'], isLast: false });
    expect(listed('false')).toEqual({ keys: ['a&b c', 'd'], isLast: true });
  });
});

describe('S3 object keys', () => {
  const prefix = prefixOf('eu', '5f8a');

  it("are unique, share a folder for each company, and do not contain the company's id", () => {
    const [one, again, other] = ['usr_acme', 'usr_acme', 'usr_bolt'].map((company) => newObjectKey(prefix, company));
    const company = (key: string) => key.split('/')[1];

    expect(company(one!)).toBe(company(again!));
    expect(one).not.toBe(again);
    expect(company(one!)).not.toBe(company(other!));
    expect(one).not.toContain('acme');
  });

  it('are recognized by prefix and format, and all other keys are rejected', () => {
    const key = newObjectKey(prefix, 'usr_acme');
    expect(isObjectKey(prefix, key)).toBe(true);
    for (const foreign of [`${key}x`, key.slice(1), `${prefix}readme.txt`, newObjectKey(prefixOf('us', '5f8a'), 'usr_acme')])
      expect(isObjectKey(prefix, foreign)).toBe(false);
  });
});
