import type { Reasons } from './outdated.ts';

const LACKS_PLATFORMS =
  'Newer versions lack programs for macOS, Windows or musl in the npm registry, and npm test refuses such a lockfile.';
const WITH_EXPORTERS = 'The OTLP exporters 0.301.0 ask for exactly this version; another one beside it would load the SDK twice.';

/** The one list of packages that stay behind, and why. */
export const REASONS: Reasons = {
  '@opentelemetry/context-async-hooks': { keeps: '3.1.0', why: WITH_EXPORTERS },
  '@opentelemetry/core': { keeps: '3.1.0', why: WITH_EXPORTERS },
  '@opentelemetry/instrumentation': { keeps: '0.300.0', why: 'The instrumentation of pg asks for ^0.300.0, and extends a class of it.' },
  '@opentelemetry/resources': { keeps: '3.1.0', why: WITH_EXPORTERS },
  '@opentelemetry/sdk-logs': { keeps: '3.1.0', why: WITH_EXPORTERS },
  '@opentelemetry/sdk-metrics': { keeps: '3.1.0', why: WITH_EXPORTERS },
  '@opentelemetry/sdk-trace': { keeps: '3.1.0', why: WITH_EXPORTERS },
  '@swc/core': { keeps: '1.16.18', why: LACKS_PLATFORMS },
  nx: { keeps: '23.2.1', why: LACKS_PLATFORMS },
  oxfmt: { keeps: '0.75.0', why: LACKS_PLATFORMS },
  oxlint: { keeps: '1.89.0', why: LACKS_PLATFORMS },
  'oxlint-tsgolint': { keeps: '7.0.2004', why: LACKS_PLATFORMS },
  typescript: {
    keeps: '5.9.3',
    why: 'In e2e alone: the generators of clients use its JavaScript API, which 7 does not have. 5.9 is the newest that both allow.',
  },
};
