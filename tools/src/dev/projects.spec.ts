import { ROOT } from '../command/root.ts';
import { inTempTree } from '@codase/testing/temp-tree';
import { builtFrom, isSource, packagesOf, projectOf, projectsIn, type Project } from './projects.ts';

const manifest = (name: string, ...dependencies: string[]) =>
  JSON.stringify({ name, dependencies: Object.fromEntries(dependencies.map((dependency) => [dependency, '*'])) });

const TREE = {
  'package.json': JSON.stringify({ workspaces: ['apps/*', 'kit'] }),
  'apps/shop/package.json': manifest('@x/shop', '@x/kit', 'fastify'),
  'apps/office/package.json': manifest('@x/office', '@x/shop'),
  'apps/notes.md': 'no project',
  'kit/package.json': manifest('@x/kit', 'pg', '@opentelemetry/instrumentation-pg'),
};
const folders = (projects: readonly Project[]) => projects.map(({ folder }) => folder);
const named = (name: string, projects: readonly Project[]) => projects.find((project) => project.name === name)!;

describe('the projects of a repository', () => {
  it('are the workspaces that have a package.json', () =>
    inTempTree(TREE, (root) => expect(folders(projectsIn(root))).toEqual(['apps/office', 'apps/shop', 'kit'])));

  it('are built from those they depend on, directly or not', () =>
    inTempTree(TREE, (root) => {
      const projects = projectsIn(root);

      expect(folders(builtFrom(named('@x/office', projects), projects))).toEqual(['apps/office', 'apps/shop', 'kit']);
      expect(folders(builtFrom(named('@x/kit', projects), projects))).toEqual(['kit']);
    }));

  it('load packages of others; a package that telemetry instruments is left to telemetry', () =>
    inTempTree(TREE, (root) => {
      const projects = projectsIn(root);

      expect(packagesOf(projects, projects)).toEqual(['fastify', '@opentelemetry/instrumentation-pg']);
    }));

  it('have the files below their folder', () =>
    inTempTree(TREE, (root) => {
      const projects = projectsIn(root);

      expect(projectOf('kit/src/a.ts', projects)?.name).toBe('@x/kit');
      expect(projectOf('kitchen/src/a.ts', projects)).toBeUndefined();
    }));

  it('of this repository: every app is built from the runtime, and no service from the tools', () => {
    const projects = projectsIn(ROOT);
    const gateway = projects.find(({ name }) => name.endsWith('/gateway'))!;
    const names = builtFrom(gateway, projects).map(({ name }) => name.split('/')[1]);

    expect(names).toEqual(expect.arrayContaining(['gateway', 'runtime', 'contracts']));
    expect(names).not.toContain('tools');
  });
});

describe('a source of a service', () => {
  it.each(['apps/shop/src/main.ts', 'kit/src/pages/page.html', 'apps/shop/src/2024.sql'])('%s is one', (file) =>
    expect(isSource(file)).toBe(true),
  );

  it.each([
    'apps/shop/src/main.spec.ts',
    'apps/shop/test/world.ts',
    'apps/shop/package.json',
    'kit/src/.main.ts.swp',
    'kit/src/main.ts~',
    'kit/src/4913',
  ])('%s is none', (file) => expect(isSource(file)).toBe(false));
});
