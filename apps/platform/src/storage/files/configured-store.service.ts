import { ConfigFault, isLoopback, isProduction, LiveVariable } from '@codase/runtime/config';
import { RegionConfig } from '../../kit/config.ts';
import type { ObjectStore } from './file-store.ts';
import { identityCredentials, type CredentialSource } from './s3-credentials.service.ts';
import { S3ObjectStore } from './s3-object-store.service.ts';

/** Returns the object store of a region; null when none is configured. */
export function configuredStore(config: RegionConfig): ObjectStore | null {
  const { FILE_STORE, S3_ENDPOINT, S3_BUCKET, S3_REGION, S3_PATH_STYLE, S3_CA } = config;
  if (S3_ENDPOINT === undefined) {
    if (FILE_STORE === 's3') throw new ConfigFault(['S3_ENDPOINT: not set; give the URL of the object store, or leave out FILE_STORE']);
    return null;
  }
  if (S3_BUCKET === undefined) throw new ConfigFault(['S3_BUCKET: not set; S3_ENDPOINT needs it']);
  if (isProduction(config) && S3_ENDPOINT.startsWith('http:') && !isLoopback(new URL(S3_ENDPOINT).hostname))
    throw new ConfigFault(['S3_ENDPOINT: must be https://… beyond this machine; production sends nothing in clear text']);
  return new S3ObjectStore({
    endpoint: S3_ENDPOINT,
    bucket: S3_BUCKET,
    region: S3_REGION,
    isPathStyle: S3_PATH_STYLE === 'yes',
    ...(S3_CA === undefined ? {} : { ca: S3_CA }),
    credentials: credentialsOf(config),
  });
}

const STATIC_KEYS = ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;

/** Returns the static keys that are set, or else the workload identity of this process. */
function credentialsOf(config: RegionConfig): CredentialSource {
  const absent = STATIC_KEYS.filter((name) => config[name] === undefined);
  if (absent.length === STATIC_KEYS.length) return identityCredentials();
  if (absent.length > 0) throw new ConfigFault(absent.map((name) => `${name}: not set; ${STATIC_KEYS.join(' and ')} are set together`));
  const [accessKeyId, secretAccessKey] = STATIC_KEYS.map((name) => LiveVariable.of(RegionConfig, config, name));
  return { current: () => ({ accessKeyId: accessKeyId!.latest()!, secretAccessKey: secretAccessKey!.latest()! }) };
}
