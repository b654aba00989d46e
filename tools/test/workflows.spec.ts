import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { ROOT } from '../src/command/root.ts';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const filesIn = (folder: string, ending: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => `${folder}/${file}`);

const Step = z.union([
  z.strictObject({ uses: z.string().regex(/^actions\/[\w-]+@v\d+$/), with: z.record(z.string(), z.unknown()).optional() }),
  z.strictObject({ run: z.string() }),
]);
const Workflow = z.looseObject({
  permissions: z.strictObject({ contents: z.literal('read') }),
  concurrency: z.looseObject({ group: z.string() }),
  jobs: z.record(z.string(), z.looseObject({ 'timeout-minutes': z.number(), steps: z.array(Step) })),
});
const { scripts } = z.looseObject({ scripts: z.record(z.string(), z.string()) }).parse(JSON.parse(read('package.json')));

describe('the workflows of GitHub', () => {
  const workflows = filesIn('.github/workflows', '.yml');

  it.each(workflows)('%s may only read, has an end, and runs nothing but npm scripts that exist', (file) => {
    const { jobs } = Workflow.parse(parse(read(file)));
    const commands = Object.values(jobs).flatMap(({ steps }) => steps.flatMap((step) => ('run' in step ? [step.run] : [])));

    expect(commands.length).toBeGreaterThan(0);
    expect(commands.filter((command) => !isScript(command))).toEqual([]);
  });

  it('run what continuous integration ran before: npm test', () => {
    expect(read('.github/workflows/ci.yml')).toMatch(/^ +- run: npm test$/m);
    expect(read('.ci/run')).toMatch(/^exec npm test$/m);
  });
});

/** Whether a command is an npm script of the root, and nothing else. */
function isScript(command: string): boolean {
  const { name = '' } = /^npm (?:run )?(?<name>[\w-]+)(?: -- [\w =,-]+)?$/.exec(command)?.groups ?? {};
  return name in scripts && (command.startsWith('npm run ') || ['test', 'start'].includes(name));
}

describe('what hosting and editors read', () => {
  it.each(filesIn('.github', '.yml'))('%s is YAML', (file) => expect(parse(read(file))).toEqual(expect.any(Object)));

  it.each([...filesIn('.vscode', '.json'), ...filesIn('.devcontainer', '.json')])('%s is JSON', (file) =>
    expect(JSON.parse(read(file))).toEqual(expect.any(Object)),
  );

  it('the tasks of the editor are npm scripts', () => {
    const { tasks } = JSON.parse(read('.vscode/tasks.json')) as { tasks: { script: string }[] };

    expect(tasks.map(({ script }) => script).filter((script) => !(script in scripts))).toEqual([]);
  });

  it('the container starts with the same commands', () => {
    const { postCreateCommand } = JSON.parse(read('.devcontainer/devcontainer.json')) as { postCreateCommand: string };

    expect(postCreateCommand.split(' && ').filter((command) => command !== 'npm ci' && !isScript(command))).toEqual([]);
  });
});
