import { silentLog } from '../telemetry/index.ts';
import { createHttpServer } from './http-server.ts';
import { ForwardedAddresses } from './forwarded-addresses.ts';

const FORWARDED = { 'x-forwarded-for': '198.51.100.7' };

describe('forwarded client addresses', () => {
  const afterCall = async (remoteAddress: string, headers: Record<string, string>, trustProxy?: string) => {
    const forwarded = new ForwardedAddresses();
    const http = createHttpServer(silentLog, { trustProxy });
    forwarded.watch(http);
    http.get('/', () => ({}));
    await http.inject({ url: '/', remoteAddress, headers });
    await http.close();
    return forwarded.note?.note;
  };

  it('are reported to the operator when the forwarding peer is not trusted', async () => {
    expect(await afterCall('10.0.0.5', FORWARDED)).toMatch(/^10\.0\.0\.5 forwards addresses .* name it in TRUST_PROXY$/);
    expect(await afterCall('10.0.0.5', FORWARDED, '10.0.1.0/24')).toMatch(/^10\.0\.0\.5 /);
  });

  it('are not reported when the forwarding peer is trusted', async () => {
    expect(await afterCall('10.0.0.5', FORWARDED, '10.0.0.0/24')).toBeUndefined();
  });

  it('are not reported when a client connects directly', async () => {
    expect(await afterCall('10.0.0.5', {})).toBeUndefined();
  });
});
