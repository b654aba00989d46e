/** Where mail is handed over, and how the way there is kept secret. */
export interface RelayAddress {
  host: string;
  port: number;
  /** TLS from the first byte; otherwise by STARTTLS. */
  secure: boolean;
  requireTLS: boolean;
  ignoreTLS: boolean;
  auth?: { user: string; pass: string };
  /** Says who we are even to a relay that does not ask. */
  forceAuth: boolean;
}

/** What never leaves the machine. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

/**
 * Reads MAIL_URL: `smtps://` speaks TLS at once, `smtp://` must get it by STARTTLS or nothing is sent. Only a relay on this very machine
 * may be spoken to in the clear.
 */
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
