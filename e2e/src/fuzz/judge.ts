import { isErrorKey } from '@codase/contracts';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { ApiDocument, DocumentedAnswer, Operation } from './api-document.ts';

/** What came back. */
export interface Answer {
  status: number;
  type: string;
  body: string;
}

/** Texts that show the inside of the platform. */
const INSIDE = [/\bat .*\.(ts|js):\d+/, /node_modules/, /select .* from/i, /postgres/i];
const MAX_QUOTED = 300;

/** Says whether an answer is one that the API document foresees. */
export class Judge {
  private readonly ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
  private readonly validators = new Map<object, ValidateFunction>();

  constructor(document: ApiDocument) {
    this.ajv.addSchema({ $id: 'document', components: { schemas: document.components.schemas } });
  }

  /**
   * Returns what is wrong with an answer; undefined when it is right. Where the path was written in another way, another operation may have
   * answered: then nothing but the refusal is judged.
   */
  faultOf(operation: Operation, answer: Answer, isPathBent: boolean): string | undefined {
    const { status, body } = answer;
    if (status === 0) return 'no answer';
    if (status === 500) return `500: ${quoted(body)}`;
    if (/"?error_key"?[>:]\s*"?service\.unavailable/.test(body)) return `a fault that nobody foresaw: ${status} ${quoted(body)}`;
    const shown = status >= 400 && INSIDE.find((pattern) => pattern.test(body));
    if (shown) return `shows the inside (${shown}): ${quoted(body)}`;
    if (isPathBent) return status >= 400 ? withoutKey(answer) : undefined;
    const documented = documentedAnswer(operation, status);
    return documented ? this.contentFault(answer, documented) : `${status} is not in the document: ${quoted(body)}`;
  }

  private contentFault({ status, type, body }: Answer, { content }: DocumentedAnswer): string | undefined {
    if (!content)
      return type + body === '' ? undefined : `${status} has a body or a type, and the document says none: ${type} ${quoted(body)}`;
    const [name = ''] = type.split(';');
    if (status >= 400 && name === 'text/html') return undefined; // a browser gets the refusal as a page
    const media = content[name] ?? content['*/*'];
    if (!media) return `${status} is ${type || 'of no type'}, which is not in the document`;
    return name === 'application/json' && media.schema ? this.shapeFault(status, body, media.schema) : undefined;
  }

  private shapeFault(status: number, body: string, schema: object): string | undefined {
    const validate = this.validatorOf(schema);
    let value: unknown;
    try {
      value = JSON.parse(body);
    } catch {
      return `${status} is no JSON: ${quoted(body)}`;
    }
    if (validate(value)) return undefined;
    const [first] = validate.errors!;
    return `${status} does not fit the document: ${first!.instancePath || 'the body'} ${first!.message}: ${quoted(body)}`;
  }

  private validatorOf(schema: object): ValidateFunction {
    const known = this.validators.get(schema);
    if (known) return known;
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
    const validate = this.ajv.compile(JSON.parse(text) as object);
    this.validators.set(schema, validate);
    return validate;
  }
}

const documentedAnswer = ({ answers }: Operation, status: number): DocumentedAnswer | undefined =>
  answers[status] ?? answers[`${Math.floor(status / 100)}XX`];

function withoutKey({ status, type, body }: Answer): string | undefined {
  if (type.includes('text/html')) return undefined;
  const key = /"?error_key"?[>:]\s*"?([\w.]+)/.exec(body)?.[1];
  return isErrorKey(key) ? undefined : `${status} without a catalogued key: ${quoted(body)}`;
}

const quoted = (text: string) => (text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text);
