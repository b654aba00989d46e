// Jest's global setup: real servers for the tests that want them (see src/test-run.ts).
export default async function setup(globalConfig) {
  globalThis.stopTestServers = await startTestServers(globalConfig);
}

async function startTestServers(globalConfig) {
  try {
    const { startTestServers } = await import('../dist/test-run.js');
    return await startTestServers(globalConfig);
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error('The tests start servers with the built project: run node tools/build.mjs first (npm test does).', { cause: error });
  }
}
