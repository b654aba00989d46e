import {
  ENDPOINTS,
  ERRORS,
  EXAMPLES,
  isDataOperation,
  operation,
  PARAMETER_SAMPLES,
  RawFile,
  statusesOf,
  SUITE_SUBJECTS,
  type Endpoint,
  type ErrorKey,
  type Subject,
} from '@codase/contracts';
import { z } from 'zod';
import { NamedShapes, type Schema } from '../named-shapes.ts';

/** One subject, ready to be described. */
interface Described {
  name: string;
  subject: Subject;
  summary: string;
  description: string;
  app: string;
  planned?: boolean;
  message: { schema: Schema; example: unknown };
  reply?: { schema: Schema; example: unknown };
}

/** An AsyncAPI document: the parts of it that our code reads. */
export interface AsyncapiDocument {
  asyncapi: '3.0.0';
  channels: Record<string, { address: string | null }>;
  operations: Record<string, { action: 'send' | 'receive' }>;
  components: { messages: Record<string, { payload: Schema; examples: { payload: unknown }[] }>; schemas: Record<string, Schema> };
}

/**
 * The AsyncAPI 3.0 document of the suite's bus, as a company's own service sees it: it sends requests and receives events. Everything comes
 * from the contracts: the subjects, their shapes and examples, and one operation of the gateway for each data endpoint.
 */
export function asyncapi(): AsyncapiDocument {
  const schemas = new NamedShapes({ target: 'draft-7' });
  const described = [...suiteSubjects(schemas), ...gatewayOperations(schemas)];
  const messages = Object.fromEntries(described.flatMap(messagesOf));
  return {
    asyncapi: '3.0.0',
    info: INFO,
    defaultContentType: 'application/json',
    servers: { suite: SERVER },
    channels: Object.fromEntries(described.flatMap(channelsOf)),
    operations: Object.fromEntries(described.map(operationOf)),
    components: { messages: { ...messages, refusal: REFUSAL_MESSAGE }, schemas: { Refusal: REFUSAL, ...schemas.named } },
  } as AsyncapiDocument;
}

const INFO = {
  title: "The suite's bus",
  version: '1',
  description: [
    "What a company's own services hear and ask on the NATS of their suite. `service` in a subject is the gateway's name of a service.",
    'A request is JSON on its subject; the answer comes to the reply subject that NATS gives it. A refusal has the header',
    'Nats-Service-Error with its key, Nats-Service-Error-Code with its status and, where it helps, Retry-After in seconds. The header',
    'codase-timeout-ms of a request says how long you wait. Which subjects a user may use is set where the suite is operated.',
  ].join('\n'),
  license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
};

const SERVER = {
  host: '127.0.0.1:4022',
  protocol: 'nats',
  description: "The suite's NATS as `npm start` runs it; yours has another address.",
};

function suiteSubjects(schemas: NamedShapes): Described[] {
  return Object.entries(SUITE_SUBJECTS).map(([name, { subject, shape, message, reply, ...described }]) => ({
    name,
    subject,
    ...described,
    message: { schema: schemas.schemaOf(shape ?? subject.message, subject.reply ? 'input' : 'output'), example: message },
    ...(subject.reply && { reply: { schema: schemas.schemaOf(subject.reply, 'output'), example: reply } }),
  }));
}

function gatewayOperations(schemas: NamedShapes): Described[] {
  return ENDPOINTS.filter(isDataOperation).map((contract) => {
    const subject = operation(contract);
    return {
      name: `gateway_${contract.name}`,
      subject,
      summary: contract.summary,
      description: [
        `${contract.method} ${contract.path} at the home region of the service.`,
        `It can be refused with ${listOf(contract.refusals)}.`,
      ].join(' '),
      app: 'gateway',
      message: { schema: schemas.schemaOf(subject.message, 'input'), example: requestExample(contract) },
      reply: answerOf(contract, schemas),
    };
  });
}

const listOf = (keys: readonly ErrorKey[]): string => keys.map((key) => `\`${key}\` (${statusesOf(key).join(', ')})`).join(', ');

function requestExample({ name, params, query, body }: Endpoint): Schema {
  const names = Object.keys(params?.shape ?? {});
  return {
    ...(params && { params: Object.fromEntries(names.map((each) => [each, PARAMETER_SAMPLES[each]])) }),
    ...(query && { query: EXAMPLES[name]?.query ?? {} }),
    ...(body && { body: EXAMPLES[name]?.body }),
  };
}

/** A file travels as base64 in JSON; an answer without content is null. */
function answerOf({ name, result, produces }: Endpoint, schemas: NamedShapes): { schema: Schema; example: unknown } {
  if (result.safeParse(undefined).success) return { schema: { type: 'null' }, example: null };
  const example = EXAMPLES[name]?.result;
  if (produces !== 'bytes') return { schema: schemas.schemaOf(result, 'output'), example };
  const options = result instanceof z.ZodUnion ? (result.options as z.ZodType[]) : [result];
  const structures = options.filter((option) => option !== RawFile).map((option) => schemas.schemaOf(option, 'output'));
  const isFile = structures.length < options.length;
  return {
    schema: { anyOf: [...structures, ...(isFile ? [FILE] : [])] },
    example: example ?? { content_type: 'image/png', base64: 'iVBORw0KGgo=' },
  };
}

const FILE: Schema = {
  type: 'object',
  required: ['content_type', 'base64'],
  properties: { content_type: { type: 'string' }, base64: { type: 'string', contentEncoding: 'base64' } },
  additionalProperties: false,
};

const REFUSAL: Schema = {
  type: 'object',
  required: ['error', 'error_key'],
  properties: { error: { type: 'string' }, error_key: { type: 'string', enum: Object.keys(ERRORS) } },
};

const REFUSAL_MESSAGE = {
  name: 'refusal',
  title: 'A refusal',
  headers: {
    type: 'object',
    required: ['Nats-Service-Error', 'Nats-Service-Error-Code'],
    properties: {
      'Nats-Service-Error': { type: 'string', description: 'Its key' },
      'Nats-Service-Error-Code': { type: 'string', description: 'Its HTTP status' },
      'Retry-After': { type: 'string', description: 'Seconds after which to try again' },
    },
  },
  payload: { $ref: '#/components/schemas/Refusal' },
  examples: [{ name: 'refusal', payload: { error: ERRORS['db.writes_paused'][1], error_key: 'db.writes_paused' } }],
};

const messagesOf = ({ name, summary, message, reply }: Described) => [
  [name, { name, title: summary, payload: message.schema, examples: [{ name, payload: message.example }] }],
  ...(reply
    ? [
        [
          `${name}_reply`,
          {
            name: `${name}_reply`,
            title: `The answer: ${summary}`,
            payload: reply.schema,
            examples: [{ name: `${name}_reply`, payload: reply.example }],
          },
        ],
      ]
    : []),
];

const refTo = (path: string) => ({ $ref: `#/${path}` });

const channelsOf = ({ name, subject, summary, description, app, planned, reply }: Described) => [
  [
    name,
    {
      address: subject.pattern,
      title: summary,
      description: planned ? `${description} Planned: no app answers or publishes it yet.` : description,
      ...(parametersOf(subject).length && {
        parameters: Object.fromEntries(parametersOf(subject).map((name) => [name, PARAMETERS[name] ?? {}])),
      }),
      messages: { [name]: refTo(`components/messages/${name}`) },
      'x-app': app,
      ...(subject.stream && { 'x-stream': subject.stream }),
      ...(planned && { 'x-planned': true }),
    },
  ],
  ...(reply
    ? [
        [
          `${name}_reply`,
          {
            address: null,
            messages: { [`${name}_reply`]: refTo(`components/messages/${name}_reply`), refusal: refTo('components/messages/refusal') },
          },
        ],
      ]
    : []),
];

const parametersOf = ({ pattern }: Subject): string[] => [...pattern.matchAll(/{(\w+)}/g)].map(([, name]) => name!);

const PARAMETERS: Readonly<Record<string, object>> = {
  service: { description: "The gateway's name of a service", examples: ['shop'] },
  event: { description: 'The kind of the event', examples: ['field_updated'] },
  partition: { description: 'p00 to p15; events of one person share one', examples: ['p07'] },
  outcome: { description: 'How the challenge ended', examples: ['approved'] },
  state: { description: 'What the run came to', examples: ['completed'] },
  name: { description: 'The name of a service of the suite', examples: ['gateway'] },
  consumer: { description: 'The consumer that gave up', examples: ['feed-consumer'] },
};

/** The operation from the side of a company's service: it sends requests, and receives what is published. */
const operationOf = ({ name, summary, subject, reply }: Described) => {
  const refOf = (channel: string, message = channel) => refTo(`channels/${channel}/messages/${message}`);
  const answers = { channel: refTo(`channels/${name}_reply`), messages: [refOf(`${name}_reply`), refOf(`${name}_reply`, 'refusal')] };
  const action = subject.reply ? 'send' : 'receive';
  return [name, { action, channel: refTo(`channels/${name}`), summary, messages: [refOf(name)], ...(reply && { reply: answers }) }];
};
