import { readFileSync } from 'node:fs';

/** A setting from the environment; a secret may come as a file, which the same name with _FILE behind it names. */
export function setting(name: string, otherwise?: string): string {
  const file = process.env[`${name}_FILE`];
  const value = process.env[name] || (file && readFileSync(file, 'utf8').trim()) || otherwise;
  if (value === undefined) throw new Error(`${name} is not set: give ${name}, or ${name}_FILE with the name of a file that holds it`);
  return value;
}
