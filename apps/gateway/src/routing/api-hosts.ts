/** The hosts that a token may be sent to. An entry is a host by its name, or `*.` and a name for all hosts below it. */
export class ApiHosts {
  private readonly isHttps: boolean;
  private readonly isAllowed: (host: string) => boolean;

  /** Without a list, the hosts are that of the front door and all below it, or this machine when the front door is on it. */
  constructor(frontDoorUrl: string, listed?: readonly string[]) {
    const { protocol, hostname } = new URL(frontDoorUrl);
    this.isHttps = protocol === 'https:';
    if (listed) this.isAllowed = (host) => host === hostname || listed.some((entry) => matches(entry, host));
    else if (isThisMachine(hostname)) this.isAllowed = isThisMachine;
    else this.isAllowed = (host) => host === hostname || host.endsWith(`.${hostname}`);
  }

  /** Returns why no token may be sent to this base, in a sentence that says how to correct it, or undefined when it may be sent. */
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

/** Whether API_HOSTS may list this entry. */
export const isHostEntry = (entry: string): boolean => /^((\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])$/.test(entry);

const matches = (entry: string, host: string) => (entry.startsWith('*.') ? host.endsWith(entry.slice(1)) : host === entry);

const isThisMachine = (host: string) => /^127\.\d+\.\d+\.\d+$/.test(host) || host === '[::1]' || /(^|\.)localhost$/.test(host);
