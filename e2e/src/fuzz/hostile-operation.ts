import { jsonIn } from '@codase/contracts';
import { bent, hostileRequests, type Target, type Wire } from '@codase/testing/hostile-requests';
import fc from 'fast-check';
import type { Operation } from './api-document.ts';
import type { KnownTexts } from './known-texts.ts';
import type { SchemaValues } from './schema-values.ts';

/** Where the texts of a request come from. */
interface Sources {
  known: KnownTexts;
  values: SchemaValues;
  /** A request that succeeded. */
  sample?: Sample | undefined;
}

/** What a request to an operation had that is not in the API document. */
export interface Sample {
  params: Readonly<Record<string, string>>;
  body: unknown;
}

/** Returns the parameters and the body of a request that was sent. */
export function sampleOf({ path: template }: Operation, path: string, body: Buffer | undefined): Sample {
  const names = [...template.matchAll(/{(\w+)}/g)].map(([, name]) => name!);
  const values = new RegExp(`^${template.replace(/{\w+}/g, '([^/]+)')}$`).exec(path)!.slice(1);
  const params = Object.fromEntries(names.map((name, nth) => [name, decodeURIComponent(values[nth]!)]));
  return { params, body: body && jsonIn(body.toString('utf8')) };
}

/** Requests to an operation of the API document: with values that fit it, with broken ones, and with ids of what exists. */
export function hostileOperation(operation: Operation, sources: Sources): fc.Arbitrary<Wire> {
  const chosen = hostileRequests(targetOf(operation, sources));
  if (!sources.sample) return chosen;
  const sampled = hostileRequests(sampledTarget(targetOf(operation, sources), sources.sample));
  return fc.oneof({ weight: 3, arbitrary: chosen }, { weight: 1, arbitrary: sampled });
}

/** The same target, with the ids and the body of a request that succeeded. */
const sampledTarget = (target: Target, { params, body }: Sample): Target => ({
  ...target,
  parameter: (name, before) => (params[name] === undefined ? target.parameter(name, before) : fc.constant(params[name])),
  bodies: body === undefined ? target.bodies : fc.oneof(fc.constant(body), bent(body)),
});

function targetOf(operation: Operation, { known, values }: Sources): Target {
  const { method, path, parameters, body } = operation;
  const example = (where: 'path' | 'query') =>
    Object.fromEntries(parameters.flatMap((one) => (one.in === where ? [[one.name, known.pick(0, one.name) ?? one.example ?? '']] : [])));
  const [samples, query] = [example('path'), example('query')];
  const [type = 'application/json'] = Object.keys(body);
  const { schema = {}, example: sample } = body[type] ?? {};
  const examples = fc.nat().map((choice) => known.fitted(sample ?? {}, choice));
  return {
    method,
    path,
    consumes: CONSUMES[type] ?? 'file',
    parameter: (name, before) => fc.nat().map((choice) => known.pick(choice, name, before) ?? String(samples[name])),
    query: Object.keys(query).length > 0 ? query : undefined,
    bodies: fc.oneof(
      { weight: 3, arbitrary: values.of(schema) },
      { weight: 2, arbitrary: values.of(schema).chain(bent) },
      { weight: 2, arbitrary: examples.chain(bent) },
      { weight: 2, arbitrary: examples },
      { weight: 1, arbitrary: fc.constant(sample ?? {}) },
    ),
  };
}

const CONSUMES: Readonly<Record<string, 'structured' | 'form'>> = {
  'application/json': 'structured',
  'application/x-www-form-urlencoded': 'form',
};
