/** Returns an environment variable that the test run sets before the first test. Throws when it is missing. */
export function requiredVariable(variable: string): string {
  const value = process.env[variable];
  if (!value)
    throw new Error(`${variable} is not set: run the tests through npm test or npx nx test, which start Postgres and find nats-server`);
  return value;
}
