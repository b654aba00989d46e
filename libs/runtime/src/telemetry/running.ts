import type { IncomingMessage, ServerResponse } from 'node:http';

/** What the process's telemetry offers to the ops server and to shutdown; idle until the SDK is loaded. */
export const telemetry: {
  writeMetrics?: (request: IncomingMessage, response: ServerResponse) => void;
  flush(): Promise<void>;
} = { flush: async () => {} };
