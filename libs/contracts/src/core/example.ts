/** What an endpoint is sent and answers, as OpenAPI shows it. Path parameters have their examples by name. */
export interface Example {
  query?: Record<string, unknown>;
  /** By their names in lowercase. */
  headers?: Record<string, string>;
  body?: unknown;
  /** Of a stream one of its events. Absent where the answer is no structure: nothing, bytes or a redirect. */
  result?: unknown;
}

/** Examples by the names of their endpoints. */
export type Examples = Readonly<Record<string, Example>>;
