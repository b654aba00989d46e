/** Hosts that a token may be sent to: a host by its name, or with `*.` before it all hosts below it. */
export class ApiHosts {
  private readonly isHttps: boolean;
  private readonly isAllowed: (host: string) => boolean;

  /** Without a list these are the host of the front door and all below it; on one machine, that machine. */
  constructor(frontDoorUrl: string, listed?: readonly string[]) {
    const { protocol, hostname } = new URL(frontDoorUrl);
    this.isHttps = protocol === 'https:';
    if (listed) this.isAllowed = (host) => host === hostname || listed.some((entry) => matches(entry, host));
    else if (isThisMachine(hostname)) this.isAllowed = isThisMachine;
    else this.isAllowed = (host) => host === hostname || host.endsWith(`.${hostname}`);
  }

  /** Why no token may be sent there, in a sentence that says how to mend it. */
  faultOf(api_url: string): string | undefined {
    if (!URL.canParse(api_url)) return 'The platform named a base that is no URL: is FRONT_DOOR_URL the front door?';
    const { protocol, hostname } = new URL(api_url);
    if (protocol !== 'https:' && (this.isHttps || protocol !== 'http:'))
      return 'The platform named a base without https, though the front door has it: nothing was sent there';
    if (this.isAllowed(hostname)) return undefined;
    const what = `The platform named the host ${hostname}, which is not below that of FRONT_DOOR_URL, so nothing was sent there`;
    return `${what}: if it is the platform's, an operator adds it to API_HOSTS of the gateway`;
  }
}

/** What API_HOSTS may list. */
export const isHostEntry = (entry: string): boolean => /^((\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])$/.test(entry);

const matches = (entry: string, host: string) => (entry.startsWith('*.') ? host.endsWith(entry.slice(1)) : host === entry);

const isThisMachine = (host: string) => /^127\.\d+\.\d+\.\d+$/.test(host) || host === '[::1]' || /(^|\.)localhost$/.test(host);
