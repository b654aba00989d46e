/** Codes of Node and OpenSSL for a certificate that is not accepted, and what to mend. */
const FAULTS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired: renew it',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet: compare the clocks of both machines',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for other names: use an address that it names, or add this one to it',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'nobody who is trusted here signed its certificate: give its authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'nobody who is trusted here signed its certificate: give its authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'nobody who is trusted here signed its certificate: give its authority',
  UNABLE_TO_GET_ISSUER_CERT: 'nobody who is trusted here signed its certificate: give its authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'nobody who is trusted here signed its certificate: give its authority',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'it asks for a certificate of this client: give one with its key',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: 'it does not know who signed the certificate of this client: give one that it trusts',
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: 'the certificate of this client has expired: renew it',
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: 'it does not take the certificate of this client: give one that it trusts',
};

/** Why TLS with a server failed, and what to mend, if it did. `variable` names the variable of its authority. */
export function tlsFault(error: unknown, variable: string): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const fault = tlsFaultOf((cause as NodeJS.ErrnoException).code, variable);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** The same, by the code of an error. */
export const tlsFaultOf = (code: string | undefined, variable: string): string | undefined =>
  FAULTS[code ?? '']?.replace(/authority$/, `authority in ${variable}`);
