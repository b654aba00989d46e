// node --import @cds/runtime/telemetry/register main.js: before anything else is loaded, so that libraries can be instrumented.
import { startTelemetry } from './sdk.ts';

startTelemetry(process.env['OTEL_SERVICE_NAME'] ?? 'cds');
