/** The address of the mail relay, and how the connection to it is encrypted. */
export interface RelayAddress {
  host: string;
  port: number;
  /** Whether the connection uses TLS from the first byte. Otherwise it uses STARTTLS. */
  secure: boolean;
  requireTLS: boolean;
  ignoreTLS: boolean;
  auth?: { user: string; pass: string };
  /** Whether to sign in even to a relay that does not ask for it. */
  forceAuth: boolean;
}

/** Hosts that are reached without leaving this machine. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

/** Reads MAIL_URL. `smtps://` uses TLS at once, `smtp://` must change to it by STARTTLS unless the relay is on this machine. */
export function relayAddress(url: string, password?: string): RelayAddress {
  const { protocol, hostname, port, username, password: own } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const [secure, isClear] = [protocol === 'smtps:', protocol === 'smtp:' && LOOPBACK.test(host)];
  const auth = username && { user: decodeURIComponent(username), pass: password ?? decodeURIComponent(own) };
  return {
    host,
    port: Number(port) || (secure ? 465 : 587),
    secure,
    requireTLS: !isClear,
    ignoreTLS: isClear,
    forceAuth: Boolean(auth),
    ...(auth && { auth }),
  };
}
