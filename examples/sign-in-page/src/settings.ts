import { readFileSync } from 'node:fs';

/** Returns a setting from the environment. A secret may be in a file instead, which the variable NAME_FILE names. */
export function setting(name: string, otherwise?: string): string {
  const file = process.env[`${name}_FILE`];
  const value = process.env[name] || (file && readFileSync(file, 'utf8').trim()) || otherwise;
  if (value === undefined) throw new Error(`${name} is not set: give ${name}, or ${name}_FILE with the name of a file that holds it`);
  return value;
}
