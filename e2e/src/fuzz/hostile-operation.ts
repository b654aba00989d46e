import { bent, hostileRequests, type Wire } from '@codase/testing/hostile-requests';
import fc from 'fast-check';
import type { Operation } from './api-document.ts';
import type { KnownTexts } from './known-texts.ts';
import type { SchemaValues } from './schema-values.ts';

/** Where the texts of a request come from. */
interface Sources {
  known: KnownTexts;
  values: SchemaValues;
}

/** Requests to an operation of the API document: with values that fit it, with broken ones, and with ids of what exists. */
export function hostileOperation(operation: Operation, { known, values }: Sources): fc.Arbitrary<Wire> {
  const { method, path, parameters, body } = operation;
  const example = (where: 'path' | 'query') =>
    Object.fromEntries(parameters.flatMap((one) => (one.in === where ? [[one.name, known.pick(0, one.name) ?? one.example ?? '']] : [])));
  const [samples, query] = [example('path'), example('query')];
  const [type = 'application/json'] = Object.keys(body);
  const { schema = {}, example: sample } = body[type] ?? {};
  const examples = fc.nat().map((choice) => known.fitted(sample ?? {}, choice));
  return hostileRequests({
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
  });
}

const CONSUMES: Readonly<Record<string, 'structured' | 'form'>> = {
  'application/json': 'structured',
  'application/x-www-form-urlencoded': 'form',
};
