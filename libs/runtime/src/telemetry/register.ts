// Used as `node --import @codase/runtime/telemetry/register main.js`: it is loaded before anything else, so that libraries can be
// instrumented.
import { startTelemetry } from './sdk.ts';

startTelemetry(process.env['OTEL_SERVICE_NAME'] ?? 'codase');
