import { Controller, Module } from '@nestjs/common';
import { endpoint } from '@codase/contracts';
import { z } from 'zod';
import { servedEndpoints } from './served-endpoints.ts';
import { Serves } from './serves.ts';

const EVERY = { at: ['region'], spec: 'D1-1', callers: ['anyone'], status: 200, result: z.object({}), refusals: [] } as const;
const readTea = endpoint({ ...EVERY, name: 'read_tea', method: 'GET', path: '/tea', summary: 'Tea', description: 'Tea.' });
const readCoffee = endpoint({ ...EVERY, name: 'read_coffee', method: 'GET', path: '/coffee', summary: 'Coffee', description: 'Coffee.' });
const addTea = endpoint({ ...EVERY, name: 'add_tea', method: 'POST', path: '/tea', summary: 'More tea', description: 'Tea.' });

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
