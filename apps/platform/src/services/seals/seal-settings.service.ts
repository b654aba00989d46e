import { readFileSync } from 'node:fs';
import type { TimestampAuthority } from '@codase/pdf';
import { ConfigFault, sourceOf } from '@codase/runtime/config';
import type { RegionConfig } from '../../kit/config.ts';

export const SEAL_SETTINGS = Symbol('settings of seals');

/** How PDFs are sealed in this region. */
export interface SealSettings {
  /** The name of the sealer: the host of the front door. */
  name: string;
  /** The operator's own certificate, in place of the one that the region made. */
  pkcs12: { file: Buffer; password: string } | undefined;
  /** The authority (RFC 3161) that stamps each seal; undefined when none is configured. */
  timestampAuthority: TimestampAuthority | undefined;
  check: RegionConfig['SEAL_CHECK'];
}

export function sealSettings(config: RegionConfig): SealSettings {
  const { SEAL_PKCS12, SEAL_PKCS12_PASSWORD, TIMESTAMP_URL, TIMESTAMP_SECONDS, SEAL_CHECK, FRONT_DOOR_URL } = config;
  if (SEAL_PKCS12 === undefined && SEAL_PKCS12_PASSWORD !== undefined)
    throw new ConfigFault(['SEAL_PKCS12_PASSWORD: is of no use without SEAL_PKCS12']);
  return {
    name: new URL(FRONT_DOOR_URL).hostname,
    pkcs12: SEAL_PKCS12 === undefined ? undefined : { file: pkcs12Bytes(config, SEAL_PKCS12), password: SEAL_PKCS12_PASSWORD ?? '' },
    timestampAuthority: TIMESTAMP_URL === undefined ? undefined : { url: TIMESTAMP_URL, timeoutMs: TIMESTAMP_SECONDS * 1000 },
    check: SEAL_CHECK,
  };
}

/** The tag of a sequence, with which DER begins; the base64 of DER never begins with this byte. */
const SEQUENCE = 0x30;

/** Returns the bytes of the PKCS #12 setting. A file may hold DER; text is base64. */
function pkcs12Bytes(config: RegionConfig, text: string): Buffer {
  const source = sourceOf(config, 'SEAL_PKCS12');
  const bytes = source && readFileSync(source.path);
  return bytes?.[0] === SEQUENCE && bytes[1] !== undefined && bytes[1] >= 0x80 ? bytes : Buffer.from(text, 'base64');
}
