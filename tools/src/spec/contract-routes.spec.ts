import { ENDPOINTS } from '@codase/contracts';
import { isSameRoute, ROUTES } from './outline.ts';

describe('the contracts of endpoints', () => {
  const declared = ENDPOINTS.map(({ method, path }) => `${method} ${path}`);

  it('exist for every route of the specification', () => {
    expect(ROUTES.filter(({ route }) => !declared.some((concrete) => isSameRoute(route, concrete)))).toEqual([]);
  });

  it('exist only for routes of the specification', () => {
    const isListed = (concrete: string) => ROUTES.some(({ route }) => isSameRoute(route, concrete));

    expect(declared.filter((concrete) => !isListed(concrete))).toEqual([]);
  });
});
