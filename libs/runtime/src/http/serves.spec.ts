import { Controller, Module } from '@nestjs/common';
import { endpoint } from '@codase/contracts';
import { z } from 'zod';
import { servedEndpoints } from './served-endpoints.ts';
import { Serves } from './serves.ts';

const EVERY = { at: ['region'], spec: 'D1-1', callers: ['anyone'], result: z.object({}), refusals: [] } as const;
const readTea = endpoint('read_tea', 'GET /tea', { ...EVERY, summary: 'Tea', description: 'Tea.' });
const readCoffee = endpoint('read_coffee', 'GET /coffee', { ...EVERY, summary: 'Coffee', description: 'Coffee.' });
const addTea = endpoint('add_tea', 'POST /tea', { ...EVERY, summary: 'More tea', description: 'Tea.' });

describe('a method that serves several contracts', () => {
  it('is an endpoint of each of them', () => {
    @Controller()
    class Drinks {
      @Serves(readTea, readCoffee)
      read() {
        return {};
      }
    }
    @Module({ controllers: [Drinks] })
    class Kitchen {}

    expect(servedEndpoints(Kitchen)).toEqual([readTea, readCoffee]);
  });

  it('is refused when their HTTP methods differ', () => {
    const declares = () => {
      class Drinks {
        @Serves(readTea, addTea)
        read() {
          return {};
        }
      }
      return Drinks;
    };

    expect(declares).toThrow('read serves read_tea, add_tea: their HTTP methods must be the same');
  });
});
