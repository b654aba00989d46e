// Jest's global setup: real servers for the tests that want them (see src/test-run.ts), and what processes start faster from.
import { join } from 'node:path';
import { writeStartScripts } from './start-scripts.mjs';

export default async function setup(globalConfig) {
  const { startTestServers } = await built('../dist/test-run.js');
  globalThis.stopTestServers = await startTestServers(globalConfig);
  if (startsManyProcesses(globalConfig)) globalThis.startScripts = await makeStartScripts(globalConfig);
}

/** Making the scripts pays from a few starts on. */
const startsManyProcesses = ({ nonFlagArgs }) => nonFlagArgs.length === 0;

async function makeStartScripts({ rootDir }) {
  const { temporaryFolder } = await built('../../servers/dist/temporary-folder.js');
  const folder = temporaryFolder('scripts');
  await writeStartScripts(join(rootDir, 'bundle'), folder.path);
  process.env.CDS_TEST_START_SCRIPTS = folder.path;
  return folder;
}

async function built(file) {
  try {
    return await import(file);
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error('The tests start servers with the built project: run node tools/build.mjs first (npm test does).', { cause: error });
  }
}
