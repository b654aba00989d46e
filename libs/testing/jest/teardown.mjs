// Jest's global teardown. Should Jest be killed before it gets here, the guard of the temporary Postgres ends it all the same.
export default async function teardown() {
  await globalThis.stopTestServers?.();
}
