// Jest's global teardown. Should Jest be killed before it gets here, the guards of the temporary Postgres and folders end it all the same.
export default async function teardown() {
  await globalThis.stopTestServers?.();
  globalThis.startScripts?.remove();
}
