import { RECOVERY_CODE_MINUTES } from '@codase/contracts';
import { accountMailTextOf } from './account-mail-text.ts';

describe('account mail text @gap D1-5', () => {
  it('contains the sign-up code, and says what to do if the reader did not request it', () => {
    const { subject, text } = accountMailTextOf({ kind: 'confirm_sign_up', facts: { sign_up_id: 'sup_1', code: 'AB23CD45' } });

    expect(subject).toContain('AB23CD45');
    expect(text).toContain('\n    AB23CD45\n');
    expect(text).toContain('If it was not you');
    expect(text).not.toContain('sup_1');
  });

  it('contains the code for an account deletion, and warns a reader who did not request it', () => {
    const { subject, text } = accountMailTextOf({ kind: 'confirm_deletion', facts: { code: 'AB23CD45' } });

    expect(subject).toContain('AB23CD45');
    expect(text).toContain('\n    AB23CD45\n');
    expect(text).toContain('knows your password');
  });

  it('contains the code for a new address, and says what to do if the reader did not request it', () => {
    const { subject, text } = accountMailTextOf({ kind: 'confirm_email', facts: { code: 'AB23CD45' } });

    expect(subject).toContain('AB23CD45');
    expect(text).toContain('\n    AB23CD45\n');
    expect(text).toContain('If it was not you');
  });

  it('tells the owner of an account that someone requested its address for another one', () => {
    expect(accountMailTextOf({ kind: 'email_requested', facts: {} }).text).toContain('there is already an account');
  });

  it('contains the code for secret recovery, and says what to do if the reader did not request it', () => {
    const { subject, text } = accountMailTextOf({ kind: 'recovery_code', facts: { code: 'AB23CD45' } });

    expect(subject).toContain('AB23CD45');
    expect(text).toContain('\n    AB23CD45\n');
    expect(text).toContain(`holds for ${RECOVERY_CODE_MINUTES} minutes`);
    expect(text).toContain('If it was not you');
  });

  it.each(['email_changed', 'password_changed', 'second_factor_on', 'second_factor_off', 'secrets_recovered', 'recovery_reset'] as const)(
    'says what to do if %s was done by somebody else',
    (kind) => {
      expect(accountMailTextOf({ kind, facts: {} }).text).toContain('tell whoever runs this platform at once');
    },
  );

  it('says how many backup codes are left, and what to do if somebody else used one', () => {
    const { text } = accountMailTextOf({ kind: 'backup_code_used', facts: { left: 3 } });
    expect(text).toContain('3 are left');
    expect(text).toContain('If it was not you');
  });

  it('says that an account exists already when its owner signs up again', () => {
    expect(accountMailTextOf({ kind: 'sign_up_repeated', facts: {} }).text).toContain('there is already an account');
  });
});
