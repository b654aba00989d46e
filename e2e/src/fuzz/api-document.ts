import type { JsonSchema, NamedSchemas } from './schema-values.ts';

export type Base = 'front-door' | 'region' | 'forwarder';
export type CallerKind = 'anyone' | 'service' | 'account' | 'portal' | 'person';

interface Content {
  schema?: JsonSchema;
  example?: unknown;
}

export interface DocumentedAnswer {
  $ref?: string;
  content?: Readonly<Record<string, Content>>;
}

interface Parameter {
  in: 'path' | 'query' | 'header';
  name: string;
  required?: boolean;
  schema: JsonSchema;
  example?: unknown;
}

interface DocumentedOperation {
  operationId: string;
  'x-served-at': readonly Base[];
  'x-callers': readonly CallerKind[];
  parameters: readonly Parameter[];
  requestBody?: { content: Readonly<Record<string, Content>> };
  responses: Readonly<Record<string, DocumentedAnswer>>;
}

/** The part of the platform's API document that is read here. */
export interface ApiDocument {
  paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  components: { schemas: NamedSchemas; responses: Readonly<Record<string, DocumentedAnswer>> };
}

/** An operation of the API document. */
export interface Operation {
  name: string;
  method: string;
  path: string;
  servedAt: readonly Base[];
  callers: readonly CallerKind[];
  parameters: readonly Parameter[];
  /** What the body may be, by its media type; empty when the operation reads none. */
  body: Readonly<Record<string, Content>>;
  /** What it may answer, by status, or by class of status such as `4XX`. */
  answers: Readonly<Record<string, DocumentedAnswer>>;
}

const ANSWERS = '#/components/responses/';

export function operationsOf({ paths, components }: ApiDocument): Operation[] {
  const resolve = (answer: DocumentedAnswer) => (answer.$ref ? components.responses[answer.$ref.slice(ANSWERS.length)]! : answer);
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: operation.operationId,
      method: method.toUpperCase(),
      path,
      servedAt: operation['x-served-at'],
      callers: operation['x-callers'],
      parameters: operation.parameters,
      body: operation.requestBody?.content ?? {},
      answers: Object.fromEntries(Object.entries(operation.responses).map(([status, answer]) => [status, resolve(answer)])),
    })),
  );
}
