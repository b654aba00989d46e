/** An example of what an endpoint is sent and what it answers, as OpenAPI shows it. Path parameters have their own examples, by name. */
export interface Example {
  query?: Record<string, unknown>;
  /** Headers by their names in lowercase. */
  headers?: Record<string, string>;
  body?: unknown;
  /** For a stream, one of its events. Absent when the answer has no structure: nothing, bytes or a redirect. */
  result?: unknown;
}

/** Examples by the names of their endpoints. */
export type Examples = Readonly<Record<string, Example>>;
