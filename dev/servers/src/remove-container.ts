/** Removes a container. The guard runs it when the process that started the container has died: node remove-container.js ID */
import { containerRuntime } from './containers.ts';

const { container } = await containerRuntime();
await container
  .getById(process.argv[2]!)
  .remove({ force: true, v: true })
  .catch(() => undefined); // its starter may have removed it already
