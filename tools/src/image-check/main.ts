import { command, readArguments } from '@codase/command-line';
import { printProblems } from '../command/results.ts';
import { ROOT } from '../command/root.ts';
import { isRootWith, untilInterrupted } from '../command/run.ts';
import { buildImages, runImages } from './image-check.ts';

const HELP = `npm run image-check [-- --built]   builds the image of every app with podman, and runs each as a cluster would

  --built   the images are there (localhost/codase/APP:check): run them

As user 65532, with a read-only root and no capability, beside a stack of npm start: each service until /readyz says so, migrate and
prepare of each app to their end. Linux, as root. CODASE_PODMAN_BUILD and CODASE_PODMAN_RUN hold further options of podman that a machine
needs, as --isolation=chroot and --runtime runc. Exit code 1 when an image is not built, not ready, or its job fails.`;

await command(HELP, async (args) => {
  const { values } = readArguments(args, { built: { type: 'boolean' } });
  if (!(await isRootWith('podman', ['--version']))) {
    console.error('not checked: images are built and run by root on Linux, with podman.');
    return 1;
  }
  const say = (line: string) => console.error(line);
  return untilInterrupted(
    async (signal) => {
      const unbuilt = values.built ? [] : await buildImages(ROOT, say);
      return unbuilt.length ? unbuilt : runImages(signal, say);
    },
    (problems) => printProblems(problems, 'every image runs'),
  );
});
