import type { IncomingMessage, ServerResponse } from 'node:http';

/** The part of the process's telemetry that the ops server and the shutdown use; it does nothing until the SDK is loaded. */
export const telemetry: {
  writeMetrics?: (request: IncomingMessage, response: ServerResponse) => void;
  flush(): Promise<void>;
} = { flush: async () => {} };
