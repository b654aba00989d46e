/**
 * The paths that a client may call; all others are denied. In these patterns a star also matches slashes. They are matched against the
 * route's template. A client keeps the patterns it was registered with, so these are the patterns of a new registration. @spec D1-5.7
 * @spec D1-9
 */
export const SERVICE_PATTERNS = [
  '/api/company-data/*',
  '/api/contact-fields*',
  '/api/contact-field-types*',
  '/api/keys/*',
  '/api/service-2fa/*',
] as const;

/** The paths that every account client may call. @spec D1-5.8 */
export const ACCOUNT_BASELINE = ['/api/account', '/api/profile', '/oauth2/token', '/api/contact-field-types*'] as const;

/** What each capability group adds; a group is granted whole or not at all. @spec D1-5.8 */
export const CAPABILITY_PATTERNS = {
  service_management: ['/api/services*', '/api/account/recovery-*'],
  company_profile_fields: ['/api/contact-data*', '/api/contact-fields*', '/api/photos*'],
  customer_connections: ['/api/company-connections*', '/api/customer/*', '/api/keys*'],
  oauth_apps: ['/api/account/oauth-apps*', '/api/account/recovery-*'],
  delegate_management: ['/api/delegates*'],
} as const satisfies Record<string, readonly string[]>;

/** A group of rights of an account client. @spec D1-2.1 */
export type Capability = keyof typeof CAPABILITY_PATTERNS;
export const CAPABILITIES = Object.keys(CAPABILITY_PATTERNS) as [Capability, ...Capability[]];

/** The paths that only a login at the portal may call, whatever a client was granted. @spec D1-5.8 */
export const NEVER_GRANTABLE = [
  '/api/account/password',
  '/api/account/email',
  '/api/account/2fa*',
  '/api/account/delete-request',
  '/api/account/confirm-delete',
  '/api/account/trusted-devices*',
  '/api/profile/migrate-region',
  '/api/profile/keys',
  '/api/account-key',
] as const;

/** The patterns of the two built-in public clients. Their whitelists are rows like any other. @gap D1-5 */
export const FIRST_PARTY_PATTERNS = {
  app_portal: [
    '/api/account*',
    '/api/profile*',
    '/api/services*',
    '/api/portal/*',
    '/api/contact-data*',
    '/api/contact-fields*',
    '/api/contact-field-types*',
    '/api/photos*',
    '/api/company-connections*',
    '/api/customer/*',
    '/api/keys*',
    '/api/delegates*',
    '/api/delegations*',
  ],
  app_person: [
    '/api/account',
    '/api/account/sessions*',
    '/api/profile',
    '/api/contact-data*',
    '/api/contact-fields*',
    '/api/contact-field-types*',
    '/api/photos*',
    '/api/company-connections*',
    '/api/customer/*',
    '/api/keys*',
    '/api/delegations*',
    '/api/app/*',
  ],
} as const satisfies Record<string, readonly string[]>;

/** Whether a pattern covers a path; a star stands for any characters, slashes too. @spec D1-5.7 */
export function matchesPattern(pattern: string, path: string): boolean {
  const [start = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return path === pattern;
  const end = rest.pop()!;
  if (!path.startsWith(start) || !path.endsWith(end) || path.length < start.length + end.length) return false;
  let at = start.length;
  for (const part of rest) {
    at = path.indexOf(part, at) + part.length;
    if (at < part.length) return false;
  }
  return at <= path.length - end.length;
}

/** Whether any of the patterns covers a path. */
export const isAllowed = (patterns: readonly string[], path: string): boolean => patterns.some((pattern) => matchesPattern(pattern, path));

/** Returns the groups of which an account client needs one to call a path; none for a path that is never granted. @spec D1-5.8 */
export const capabilitiesFor = (path: string): Capability[] =>
  isAllowed(NEVER_GRANTABLE, path) ? [] : CAPABILITIES.filter((capability) => isAllowed(CAPABILITY_PATTERNS[capability], path));
