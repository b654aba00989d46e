/** What an endpoint is sent and answers, as OpenAPI shows it. Path parameters have their examples by name. */
export interface Example {
  query?: Record<string, unknown>;
  body?: unknown;
  /** Absent where the answer is no structure: nothing, bytes or a redirect. */
  result?: unknown;
}

/** Examples by the names of their endpoints. */
export type Examples = Readonly<Record<string, Example>>;
