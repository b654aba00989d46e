import { createServer, type AddressInfo, type Socket } from 'node:net';
import { externalServers } from './servers.ts';

it('npm start sends no password to a NATS with a tls: URL that does not begin with TLS', async () => {
  const sockets: Socket[] = [];
  let heard = '';
  const pretender = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined).on('data', (data) => (heard += data.toString('latin1'))));
    socket.write(`INFO ${JSON.stringify({ server_id: 'x', version: '2.12.0', proto: 1, headers: true, max_payload: 1024 })}\r\n`);
  });
  await new Promise<void>((resolve) => pretender.listen(0, '127.0.0.1', resolve));
  try {
    const natsUrl = `tls://me:hush@127.0.0.1:${(pretender.address() as AddressInfo).port}`;
    const nats = externalServers({ databaseUrl: 'postgres://127.0.0.1/x', natsUrl }).start.find(({ name }) => name === 'nats')!;

    await expect(nats.start(() => undefined)).rejects.toThrow('does not begin with TLS');
    expect(heard).not.toMatch(/CONNECT|hush/);
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => pretender.close(resolve));
  }
});
