// Jest's global setup: starts real servers for the tests that want them (see src/test-run.ts), and prepares a run of all files.
import { join } from 'node:path';
import { compileAll, compileOptions } from './compile.cjs';
import { writeStartScripts } from './start-scripts.mjs';

export default async function setup(globalConfig, projectConfig) {
  const { startTestServers } = await built('../dist/test-run.js');
  const servers = startTestServers(globalConfig);
  const prepared = isWhole(globalConfig) ? prepareWholeRun(globalConfig, projectConfig) : undefined;
  globalThis.stopTestServers = await servers;
  await prepared;
}

const isWhole = ({ nonFlagArgs }) => nonFlagArgs.length === 0;

/** Prepares a run of all files while the servers come up. This pays only when everything is loaded and many services are started. */
async function prepareWholeRun(globalConfig, projectConfig) {
  await Promise.all([
    makeStartScripts(globalConfig).then((scripts) => (globalThis.startScripts = scripts)),
    compileAll(globalConfig.rootDir, compileOptions(projectConfig)),
  ]);
}

async function makeStartScripts({ rootDir }) {
  const { temporaryFolder } = await built('../../servers/dist/temporary-folder.js');
  const folder = temporaryFolder('scripts');
  await writeStartScripts(join(rootDir, 'bundle'), folder.path);
  process.env.CODASE_TEST_START_SCRIPTS = folder.path;
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
