import { ENDPOINTS } from './endpoints.ts';
import { isSameRoute, ROUTES } from '@codase/tools';
import { z } from 'zod';
import type { Endpoint } from './core/endpoint.ts';
import { RawFile } from './core/file.ts';
import { names, twice } from './laws.check.ts';

describe('every endpoint', () => {
  it('has a name and a route of its own', () => {
    expect(twice(ENDPOINTS.map(({ name }) => name))).toEqual([]);
    expect(twice(ENDPOINTS.map(({ method, path }) => `${method} ${path.replace(/{\w+}/g, '{}')}`))).toEqual([]);
  });

  it('has a name that is a word on the bus, a chapter and a summary', () => {
    expect(names(({ name, tag, summary }) => !/^[a-z][a-z0-9_]*$/.test(name) || !tag || !/^[A-Z].*[^.]$/.test(summary))).toEqual([]);
  });

  it('is described in whole sentences, and so is every parameter', () => {
    const undescribed = ({ params, query }: Endpoint) =>
      Object.values({ ...params?.shape, ...query?.shape }).some((member) => !(member as z.ZodType).description);

    expect(names(({ summary, description }) => !/^[A-Z`][\s\S]*\.$/.test(description) || description === `${summary}.`)).toEqual([]);
    expect(names(undescribed)).toEqual([]);
  });

  it('names in its path exactly the parameters it reads', () => {
    const places = ({ path }: Endpoint) => [...path.matchAll(/{(\w+)}/g)].map(([, name]) => name!);

    expect(
      names(
        (e) =>
          places(e).sort().join() !==
          Object.keys(e.params?.shape ?? {})
            .sort()
            .join(),
      ),
    ).toEqual([]);
  });

  it('takes no body on GET and DELETE', () => {
    expect(names(({ method, body }) => (method === 'GET' || method === 'DELETE') && body !== undefined)).toEqual([]);
  });

  it('answers nothing with 204, or with 202 when it is only begun', () => {
    const answersNothing = ({ result }: Endpoint) => result.safeParse(undefined).success;

    expect(names((e) => e.status === 204 && !answersNothing(e))).toEqual([]);
    expect(names((e) => answersNothing(e) && e.status !== 204 && e.status !== 202)).toEqual([]);
  });

  it('redirects by a status of its own, and answers bytes only where it says so', () => {
    const answersBytes = ({ result }: Endpoint) => (result instanceof z.ZodUnion ? result.options : [result]).includes(RawFile);

    expect(names(({ status, produces }) => status >= 300 !== (produces === 'redirect'))).toEqual([]);
    expect(names((e) => answersBytes(e) && e.produces !== 'bytes')).toEqual([]);
  });
});

describe('the endpoints and the outline of both documents', () => {
  const declared = ENDPOINTS.map(({ method, path }) => `${method} ${path}`);

  it('has a contract for every route', () => {
    expect(ROUTES.filter(({ route }) => !declared.some((concrete) => isSameRoute(route, concrete)))).toEqual([]);
  });

  it("has every contract's route", () => {
    const isListed = (concrete: string) => ROUTES.some(({ route }) => isSameRoute(route, concrete));

    expect(declared.filter((concrete) => !isListed(concrete))).toEqual([]);
  });
});
