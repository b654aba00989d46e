import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../src/command/root.ts';

const DIGEST = `docker.io/library/node@sha256:${'a'.repeat(64)}`;
const TAG = 'docker.io/library/node:26-bookworm-slim';
const lines = readFileSync(join(ROOT, 'deploy/images/Containerfile'), 'utf8').split('\n');
const check = lines.find((line) => line.startsWith('RUN case '))!.slice('RUN '.length);

describe('the base of an image', () => {
  const builds = (VERSION: string, NODE_IMAGE: string) =>
    spawnSync('sh', ['-c', check], { env: { VERSION, NODE_IMAGE }, encoding: 'utf8' });

  it.each([
    ['0.11.0', DIGEST],
    ['0.0.0-dev', TAG],
    ['0.11.0-dev', DIGEST],
  ])('is accepted for version %s: %s', (version, image) => {
    expect(builds(version, image).status).toBe(0);
  });

  it.each([
    ['0.11.0', TAG],
    ['0.11.0', `${TAG}-dev `],
    ['1.0.0-rc.1', TAG],
    ['', TAG],
  ])('is refused for version %s: %s', (version, image) => {
    const { status, stderr } = builds(version, image);

    expect([status, stderr]).toEqual([1, expect.stringContaining('name its base by digest')]);
  });

  it('is checked before anything of it runs, with the arguments of the build', () => {
    const stage = lines.slice(lines.findIndex((line) => line.startsWith('FROM ')));

    expect(stage.slice(0, 5).map((line) => line.split(' ', 2).join(' '))).toEqual([
      'FROM ${NODE_IMAGE}',
      'ARG NODE_IMAGE',
      'ARG VERSION=0.0.0-dev',
      '# An',
      'RUN case',
    ]);
  });
});
