import { adminEmailCodeEndsAt, adminEmailCodeHash, isAdminEmailCode, newAdminEmailCode, takesAdminEmailCode } from './admin-email-code.ts';

const NOW = new Date('2026-03-12T13:30:00Z');
const HOUR_MS = 3_600_000;

describe('admin e-mail code @gap D1-2.4', () => {
  const code = newAdminEmailCode();
  const addressed = { service_id: 'ser_1', admin_email: 'ops@acme.example' };
  const service = {
    ...addressed,
    admin_email_code_hash: adminEmailCodeHash(addressed, code),
    admin_email_code_ends_at: adminEmailCodeEndsAt(NOW),
    admin_email_code_failures: 0,
  };
  const later = (hours: number, ms = 0) => new Date(NOW.getTime() + hours * HOUR_MS + ms);

  it('is accepted only for its service and address, in upper or lower case', async () => {
    expect(service.admin_email_code_hash).not.toContain(code);
    expect(await isAdminEmailCode(service, code)).toBe(true);
    expect(await isAdminEmailCode({ ...service, admin_email: 'Ops@acme.example' }, code)).toBe(true);

    expect(await isAdminEmailCode(service, 'WRONG222')).toBe(false);
    expect(await isAdminEmailCode({ ...service, service_id: 'ser_2' }, code)).toBe(false);
    expect(await isAdminEmailCode({ ...service, admin_email: 'ops@other.example' }, code)).toBe(false);
    expect(await isAdminEmailCode({ ...service, admin_email_code_hash: null }, code)).toBe(false);
  });

  it('expires after 72 hours or five wrong attempts', () => {
    expect(takesAdminEmailCode(service, later(72, -1))).toBe(true);
    expect(takesAdminEmailCode(service, later(72))).toBe(false);
    expect(takesAdminEmailCode({ ...service, admin_email_code_failures: 4 }, NOW)).toBe(true);
    expect(takesAdminEmailCode({ ...service, admin_email_code_failures: 5 }, NOW)).toBe(false);
    expect(takesAdminEmailCode({ ...service, admin_email_code_ends_at: null }, NOW)).toBe(false);
  });
});
