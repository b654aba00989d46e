// The simplest program that takes a JSON body and returns it: Fastify with its defaults, which holds the whole body in memory twice.
import { fastify } from 'fastify';

const server = fastify({ bodyLimit: 128 * 1024 * 1024 });
server.post('/echo', async ({ body }) => body);
await server.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
process.send!('ready');
