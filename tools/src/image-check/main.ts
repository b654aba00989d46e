import { asFault, command, INTERRUPTED, interruption, readArguments } from '@codase/command-line';
import { command as run } from '@codase/servers';
import { ROOT } from '../command/root.ts';
import { buildImages, runImages } from './image-check.ts';

const HELP = `npm run image-check [-- --built]   builds the image of every app with podman, and runs each as a cluster would

  --built   the images are there (localhost/codase/APP:check): run them

As user 65532, with a read-only root and no capability, beside a stack of npm start: each service until /readyz says so, migrate and
prepare of each app to their end. Linux, as root. CODASE_PODMAN_BUILD and CODASE_PODMAN_RUN hold further options of podman that a machine
needs, as --isolation=chroot and --runtime runc. Exit code 1 when an image is not built, not ready, or its job fails.`;

await command(HELP, async (args) => {
  const { values } = readArguments(args, { built: { type: 'boolean' } });
  const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
  if (!isRoot || !(await run('podman', ['--version'], { seconds: 10 })).ok) {
    console.error('not checked: images are built and run by root on Linux, with podman.');
    return 1;
  }
  const [signal, say] = [interruption(), (line: string) => console.error(line)];
  const built = values.built ? [] : await buildImages(ROOT, say);
  const problems = built.length
    ? built
    : await runImages(signal, say).catch((error: unknown) => {
        if (!signal.aborted) throw asFault(error);
        return undefined;
      });
  if (!problems) return INTERRUPTED;
  for (const problem of problems) console.error(problem);
  console.log(problems.length ? `${problems.length} problems` : 'every image runs');
  return problems.length ? 1 : 0;
});
