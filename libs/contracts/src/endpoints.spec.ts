import { ENDPOINTS } from './endpoints.ts';
import { z } from 'zod';
import type { Endpoint } from './core/endpoint.ts';
import { RawFile } from './core/file.ts';
import { names, twice } from './laws.check.ts';

describe('every endpoint', () => {
  it('has a unique name and a unique route', () => {
    expect(twice(ENDPOINTS.map(({ name }) => name))).toEqual([]);
    expect(twice(ENDPOINTS.map(({ method, path }) => `${method} ${path.replace(/{\w+}/g, '{}')}`))).toEqual([]);
  });

  it('has a name that is valid as a bus token, a tag and a summary', () => {
    expect(names(({ name, tag, summary }) => !/^[a-z][a-z0-9_]*$/.test(name) || !tag || !/^[A-Z].*[^.]$/.test(summary))).toEqual([]);
  });

  it('is described in whole sentences, with a description for every parameter', () => {
    const undescribed = ({ params, query }: Endpoint) =>
      Object.values({ ...params?.shape, ...query?.shape }).some((member) => !(member as z.ZodType).description);

    expect(names(({ summary, description }) => !/^[A-Z`][\s\S]*\.$/.test(description) || description === `${summary}.`)).toEqual([]);
    expect(names(undescribed)).toEqual([]);
  });

  it('reads exactly the parameters of its path', () => {
    const parameters = ({ path }: Endpoint) => [...path.matchAll(/{(\w+)}/g)].map(([, name]) => name!);

    expect(
      names(
        (e) =>
          parameters(e).sort().join() !==
          Object.keys(e.params?.shape ?? {})
            .sort()
            .join(),
      ),
    ).toEqual([]);
  });

  it('has no request body on GET and DELETE', () => {
    expect(names(({ method, body }) => (method === 'GET' || method === 'DELETE') && body !== undefined)).toEqual([]);
  });

  it('has an empty response with 204, and otherwise only with 202', () => {
    const answersNothing = ({ result }: Endpoint) => result.safeParse(undefined).success;

    expect(names((e) => e.status === 204 && !answersNothing(e))).toEqual([]);
    expect(names((e) => answersNothing(e) && e.status !== 204 && e.status !== 202)).toEqual([]);
  });

  it('uses 3xx statuses only for redirects and returns bytes only where it declares so', () => {
    const answersBytes = ({ result }: Endpoint) => (result instanceof z.ZodUnion ? result.options : [result]).includes(RawFile);

    expect(names(({ status, produces }) => status >= 300 !== (produces === 'redirect'))).toEqual([]);
    expect(names((e) => answersBytes(e) && e.produces !== 'bytes')).toEqual([]);
  });
});
