import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from '../src/command/root.ts';
import { builtFrom, projectOf, projectsIn, type Project } from '../src/dev/projects.ts';

const projects = projectsIn(ROOT);
interface NxManifest {
  nx: { targets: { test: { inputs?: unknown[] } } };
}
const inputsOf = ({ folder }: Project) =>
  (JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as NxManifest).nx.targets.test.inputs;
/** The projects whose results of tests are kept while their own sources, and those they are built from, are the same. */
const narrow = projects.filter((project) => inputsOf(project)?.includes('^production'));

/** The files that the tests of a project load, from the root of the repository. */
async function loadedBy({ folder }: Project): Promise<string[]> {
  const specs = ['src', 'test']
    .filter((part) => existsSync(join(ROOT, folder, part)))
    .flatMap((part) =>
      readdirSync(join(ROOT, folder, part), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${part}/${file}`),
    )
    .filter((file) => file.endsWith('.spec.ts'));
  const ours = projects.map(({ name }) => name);
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: specs,
    outdir: 'unused',
    write: false,
    bundle: true,
    metafile: true,
    platform: 'node',
    format: 'esm',
    conditions: ['source'],
    logLevel: 'silent',
    plugins: [
      {
        name: 'packages-of-others',
        setup: (at) =>
          at.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
            kind === 'entry-point' || ours.some((name) => path === name || path.startsWith(`${name}/`))
              ? undefined
              : { path, external: true },
          ),
      },
    ],
  });
  return Object.keys(metafile.inputs);
}

describe('what Nx keeps results of tests by', () => {
  it('is everything, for the projects that test the whole repository', () => {
    const whole = projects.filter((project) => inputsOf(project)?.includes('repository')).map(({ folder }) => folder);

    expect(whole).toEqual(expect.arrayContaining(['e2e', 'bench', 'tools']));
  });

  it.each(narrow.map((project) => [project.folder, project] as const))(
    '%s: nothing that its tests load is left out',
    async (_, project) => {
      const covered = [...builtFrom(project, projects), projects.find(({ name }) => name.endsWith('/testing'))!];
      const loaded = await loadedBy(project);

      expect(loaded.length).toBeGreaterThan(0);
      expect(loaded.filter((file) => !covered.includes(projectOf(file, projects)!))).toEqual([]);
    },
  );
});
