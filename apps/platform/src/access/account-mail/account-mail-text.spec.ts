import { RECOVERY_CODE_MINUTES } from '@codase/contracts';
import { accountMailTextOf } from './account-mail-text.ts';

describe('a mail of the front door @gap D1-5', () => {
  it('gives the code, and says what to do when one did not ask for it', () => {
    const { subject, text } = accountMailTextOf({ kind: 'confirm_sign_up', facts: { sign_up_id: 'sup_1', code: 'AB23CD45' } });

    expect(subject).toContain('AB23CD45');
    expect(text).toContain('\n    AB23CD45\n');
    expect(text).toContain('If it was not you');
    expect(text).not.toContain('sup_1');
  });

  it('gives the code that deletes an account, and warns who did not ask for it', () => {
    const { subject, text } = accountMailTextOf({ kind: 'confirm_deletion', facts: { code: 'AB23CD45' } });

    expect(subject).toContain('AB23CD45');
    expect(text).toContain('\n    AB23CD45\n');
    expect(text).toContain('knows your password');
  });

  it('gives the code that confirms a new address, and says what to do when one did not ask for it', () => {
    const { subject, text } = accountMailTextOf({ kind: 'confirm_email', facts: { code: 'AB23CD45' } });

    expect(subject).toContain('AB23CD45');
    expect(text).toContain('\n    AB23CD45\n');
    expect(text).toContain('If it was not you');
  });

  it('tells an owner that an address is asked for which already has an account', () => {
    expect(accountMailTextOf({ kind: 'email_requested', facts: {} }).text).toContain('there is already an account');
  });

  it('gives the code that recovers secrets, and says what to do when one did not ask for it', () => {
    const { subject, text } = accountMailTextOf({ kind: 'recovery_code', facts: { code: 'AB23CD45' } });

    expect(subject).toContain('AB23CD45');
    expect(text).toContain('\n    AB23CD45\n');
    expect(text).toContain(`holds for ${RECOVERY_CODE_MINUTES} minutes`);
    expect(text).toContain('If it was not you');
  });

  it.each(['email_changed', 'password_changed', 'second_factor_on', 'second_factor_off', 'secrets_recovered', 'recovery_reset'] as const)(
    'says what to do when %s was somebody else',
    (kind) => {
      expect(accountMailTextOf({ kind, facts: {} }).text).toContain('tell whoever runs this platform at once');
    },
  );

  it('says how many backup codes are left, and what to do when it was somebody else', () => {
    const { text } = accountMailTextOf({ kind: 'backup_code_used', facts: { left: 3 } });
    expect(text).toContain('3 are left');
    expect(text).toContain('If it was not you');
  });

  it('says that there is an account, to its owner alone', () => {
    expect(accountMailTextOf({ kind: 'sign_up_repeated', facts: {} }).text).toContain('there is already an account');
  });
});
