import { tlsFaultOf } from '@codase/runtime/config';
import { FileStoreFault } from './file-store.ts';

interface Answer {
  status: number;
  /** The code of S3's XML answer; a HEAD has none. */
  code: string | undefined;
  bucket: string;
}

/** What the operator has to correct, by the code of the answer. */
const SETTINGS: Readonly<Record<string, (bucket: string) => string>> = {
  InvalidAccessKeyId: () => 'the object store does not know the access key: check S3_ACCESS_KEY_ID',
  ExpiredToken: () => 'the object store refuses the credentials as expired: their source must give new ones',
  SignatureDoesNotMatch: () => 'the object store refuses the signature: check S3_SECRET_ACCESS_KEY',
  NoSuchBucket: (bucket) => `the object store has no bucket ${bucket}: create it, or check S3_BUCKET`,
  AccessDenied: (bucket) =>
    `the object store refuses access to bucket ${bucket}: its policy must allow s3:ListBucket, s3:GetObject, s3:PutObject, s3:DeleteObject`,
  RequestTimeTooSkewed: () => 'the clocks of this machine and of the object store differ too much: set them by NTP',
  AuthorizationHeaderMalformed: () => 'the object store is in another region: check S3_REGION',
  PermanentRedirect: () => 'the bucket is served elsewhere: check S3_ENDPOINT, S3_REGION and S3_PATH_STYLE',
};
const ALIASES: Readonly<Record<string, string>> = {
  InvalidToken: 'InvalidAccessKeyId',
  ExpiredTokenException: 'ExpiredToken',
  TokenRefreshRequired: 'ExpiredToken',
  AllAccessDisabled: 'AccessDenied',
  AccountProblem: 'AccessDenied',
  TemporaryRedirect: 'PermanentRedirect',
  IllegalLocationConstraintException: 'AuthorizationHeaderMalformed',
};
/** The code to assume for an answer without a known code. */
const BY_STATUS: Readonly<Record<number, string>> = {
  301: 'PermanentRedirect',
  307: 'PermanentRedirect',
  401: 'InvalidAccessKeyId',
  403: 'AccessDenied',
};

/** Returns the fault that an answer means that is no success. */
export function faultOfAnswer({ status, code, bucket }: Answer): FileStoreFault {
  const known = code !== undefined && (ALIASES[code] ?? code);
  const mend = (known && SETTINGS[known]) || (status < 500 && SETTINGS[BY_STATUS[status] ?? '']);
  if (mend) return new FileStoreFault('settings', mend(bucket));
  if (status === 404) return new FileStoreFault('missing', 'the object store has no such object');
  return new FileStoreFault('unreachable', `the object store answered ${status}`);
}

/** Whether the store refused a request because its credentials have expired. An answer to HEAD has no body, and so no code. */
export const isExpired = ({ method, status, code }: Omit<Answer, 'bucket'> & { method: string }): boolean =>
  code === undefined ? method === 'HEAD' && status === 400 : (ALIASES[code] ?? code) === 'ExpiredToken';

/** The errors of a token service that an operator has to correct, beside those of access. */
const IDENTITY_REFUSED = /^(AccessDenied|ExpiredToken|InvalidIdentityToken|IDPRejectedClaim|PackedPolicyTooLarge|ValidationError)/;

/** Returns the fault that an error of the provider chain means. Its message can quote an answer, so it is not passed on. */
export function faultOfCredentials(error: unknown): FileStoreFault {
  const { name = '', code, syscall } = error as { name?: string; code?: string; syscall?: string };
  if (IDENTITY_REFUSED.test(name))
    return new FileStoreFault(
      'settings',
      'the token service refuses the identity of this process: check AWS_ROLE_ARN, and whom its role trusts',
    );
  if (name === 'CredentialsProviderError')
    return new FileStoreFault(
      'settings',
      'no credentials for the object store: set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, or give this process a workload identity',
    );
  if (syscall === 'open' || syscall === 'read')
    return new FileStoreFault('settings', `the file that AWS_WEB_IDENTITY_TOKEN_FILE names cannot be read (${code})`);
  return new FileStoreFault(
    'unreachable',
    `the source of credentials for the object store cannot be reached${code === undefined ? '' : ` (${code})`}`,
  );
}

const CERTIFICATE = /^(CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|ERR_TLS|HOSTNAME_MISMATCH)/;

/** Returns the fault that a failed connection means, by the code of Node's error. */
export function faultOfConnection(code: string | undefined): FileStoreFault {
  if (code === undefined) return new FileStoreFault('unreachable', 'the object store broke off');
  const tls = tlsFaultOf(code, 'S3_CA');
  if (tls !== undefined) return new FileStoreFault('settings', `no connection to the object store: ${tls}`);
  if (CERTIFICATE.test(code))
    return new FileStoreFault('settings', `the certificate of the object store is not trusted (${code}): check S3_CA and S3_ENDPOINT`);
  if (code === 'ENOTFOUND') return new FileStoreFault('settings', 'the name of the object store does not resolve: check S3_ENDPOINT');
  return new FileStoreFault('unreachable', `the object store cannot be reached (${code})`);
}

/** Returns the error code in the XML of S3's answer. */
export const codeIn = (xml: string): string | undefined => /<Code>([A-Za-z]+)<\/Code>/.exec(xml)?.[1];
