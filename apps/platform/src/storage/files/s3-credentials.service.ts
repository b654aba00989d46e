import { withTimeout } from '@codase/runtime/resilience';
import { FileStoreFault } from './file-store.ts';
import { faultOfCredentials } from './s3-faults.ts';

export interface S3Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  /** Comes with credentials that expire. */
  sessionToken?: string;
}

/** The source of the credentials that requests to the store are signed with. */
export interface CredentialSource {
  /** Called for each request, so that a replaced key counts at once. */
  current(): S3Credentials | Promise<S3Credentials>;
  /** Returns other credentials than these, which the store refused as expired. Absent when the source has no others. */
  renewed?(refused: S3Credentials): Promise<S3Credentials>;
}

/** A source may ask a token service and an endpoint of the machine one after the other. */
const FETCH_MS = 10_000;

/**
 * Returns the credentials of this process's workload identity, from the provider chain of the AWS SDK: the variables AWS_*, the shared
 * configuration, a web identity, the endpoint of a container or pod, the metadata of the instance. The chain keeps them, and fetches others
 * in the background from five minutes before they expire. It is loaded when it is asked first, because most stores have static keys.
 */
export function identityCredentials(): CredentialSource {
  let loaded: ReturnType<typeof loadChain> | undefined;
  const fetched = async (options?: { forceRefresh: boolean }): Promise<S3Credentials> => {
    try {
      const chain = await (loaded ??= loadChain());
      const late = () => new FileStoreFault('unreachable', 'the source of credentials for the object store does not answer');
      const { accessKeyId, secretAccessKey, sessionToken } = await withTimeout(FETCH_MS, chain(options), late);
      return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
    } catch (error) {
      throw error instanceof FileStoreFault ? error : faultOfCredentials(error);
    }
  };
  return {
    current: () => fetched(),
    renewed: async (refused) => {
      const current = await fetched();
      return current.sessionToken === refused.sessionToken ? fetched({ forceRefresh: true }) : current;
    },
  };
}

async function loadChain() {
  const { defaultProvider } = await import('@aws-sdk/credential-provider-node');
  return defaultProvider();
}
