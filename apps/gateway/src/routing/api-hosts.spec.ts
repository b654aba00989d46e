import { ApiHosts, isHostEntry } from './api-hosts.ts';

const FRONT = 'https://api.example.com';
const allows = (front: string, listed: string[] | undefined, url: string) => new ApiHosts(front, listed).faultOf(url) === undefined;

describe('ApiHosts @gap D1-5.6', () => {
  it.each([
    [FRONT, 'https://api.example.com'],
    [FRONT, 'https://eu.api.example.com:8443/base'],
    [FRONT, 'https://EU.API.Example.com'],
    ['http://127.0.0.1:4000', 'http://127.0.0.1:4001'],
    ['http://127.0.0.1:4000', 'http://localhost:4001'],
    ['http://localhost:4000', 'http://[::1]:4001'],
    ['http://10.0.0.5', 'http://10.0.0.5:81'],
  ])("allows the front door's host and its subdomains: %s allows %s", (front, url) => {
    expect(allows(front, undefined, url)).toBe(true);
  });

  it.each([
    [FRONT, 'https://evil.example'],
    [FRONT, 'https://example.com'],
    [FRONT, 'https://evilapi.example.com'],
    [FRONT, 'https://api.example.com.evil.example'],
    [FRONT, 'https://api.example.com@evil.example'],
    [FRONT, 'http://eu.api.example.com'],
    [FRONT, 'ftp://eu.api.example.com'],
    [FRONT, 'https://169.254.169.254'],
    [FRONT, 'no url'],
    ['http://127.0.0.1:4000', 'http://10.0.0.1'],
    ['http://127.0.0.1:4000', 'http://127.0.0.1.evil.example'],
    ['http://127.0.0.1:4000', 'http://notlocalhost'],
    ['http://10.0.0.5', 'http://10.0.0.6'],
  ])('refuses every other host: %s refuses %s', (front, url) => {
    expect(allows(front, undefined, url)).toBe(false);
  });

  it("allows only the listed hosts and the front door's when there is a list", () => {
    const listed = ['eu.example.org', '*.regions.example'];

    for (const host of ['api.example.com', 'eu.example.org', 'us.regions.example'])
      expect(allows(FRONT, listed, `https://${host}`)).toBe(true);
    for (const host of ['eu.api.example.com', 'us.example.org', 'x.eu.example.org', 'regions.example', 'xregions.example'])
      expect(allows(FRONT, listed, `https://${host}`)).toBe(false);
  });

  it('names a refused host to the operator, with the setting that allows it', () => {
    expect(new ApiHosts(FRONT).faultOf('https://eu.example.org/x?y')).toMatch(/host eu\.example\.org, .* adds it to API_HOSTS/);
  });

  it.each(['eu.example.org', '*.example.org', '10.0.0.5', '[::1]'])('accepts the entry %s', (entry) => {
    expect(isHostEntry(entry)).toBe(true);
  });

  it.each(['https://eu.example.org', 'eu.example.org:8443', 'eu.example.org/x', '*', '', 'EU.example.org', 'a@b'])(
    "rejects the entry '%s'",
    (entry) => {
      expect(isHostEntry(entry)).toBe(false);
    },
  );
});
