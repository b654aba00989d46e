/** Run by the guard of a container whose starter died: node remove-container.js ID */
import { containerRuntime } from './containers.ts';

const { container } = await containerRuntime();
await container
  .getById(process.argv[2]!)
  .remove({ force: true, v: true })
  .catch(() => undefined); // its starter may have removed it already
