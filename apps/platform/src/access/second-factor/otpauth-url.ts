/** Returns the address from which an authenticator app reads its secret. It names the platform by the host of the front door. */
export function otpauthUrl(front_door_url: string, email: string, secret: string): string {
  const issuer = new URL(front_door_url).hostname;
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=6&period=30`;
}
