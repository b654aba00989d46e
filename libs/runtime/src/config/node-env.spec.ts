import { clearTextFaults, isProduction, nodeEnv, readConfig, type ConfigFault } from './index.ts';
import { z } from 'zod';

const Config = z.object({ NODE_ENV: nodeEnv });

const faultsOf = (NODE_ENV: string): readonly string[] => {
  try {
    readConfig(Config, { NODE_ENV });
  } catch (error) {
    return (error as ConfigFault).faults;
  }
  return [];
};

describe('NODE_ENV', () => {
  it.each(['prod', 'staging', 'Production', 'PRODUCTION', 'dev', 'production '])('%j is a fault that names what is allowed', (given) => {
    expect(faultsOf(given)).toEqual(['NODE_ENV: production, development or test; a stage such as staging runs as production']);
  });

  it('counts as production when it is not set', () => {
    expect(readConfig(Config, {}).NODE_ENV).toBe('production');
    expect(readConfig(Config, { NODE_ENV: '' }).NODE_ENV).toBe('production');
    expect(isProduction({})).toBe(true);
  });

  it.each([
    ['production', true],
    ['development', false],
    ['test', false],
  ] as const)('%s keeps the rules of production: %s', (NODE_ENV, expected) => {
    expect(isProduction(readConfig(Config, { NODE_ENV }))).toBe(expected);
  });

  it('loosens nothing by a name that no schema has read', () => {
    const unread = { NODE_ENV: 'prod' as 'production', NATS_URL: 'nats://bus.example:4222' };

    expect(isProduction(unread)).toBe(true);
    expect(clearTextFaults(unread)).toHaveLength(1);
  });
});
