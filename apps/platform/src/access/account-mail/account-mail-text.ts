/** What the mails of the front door say, by their kinds. No mail contains more about a person than the address it goes to. */
interface Facts {
  confirm_sign_up: { sign_up_id: string; code: string };
  sign_up_repeated: Nothing;
  confirm_deletion: { code: string };
  confirm_email: { code: string };
  email_requested: Nothing;
  email_changed: Nothing;
  password_changed: Nothing;
  recovery_code: { code: string };
  secrets_recovered: Nothing;
  recovery_reset: Nothing;
  second_factor_on: Nothing;
  second_factor_off: Nothing;
  backup_code_used: { left: number };
}
type Nothing = Record<string, never>;

export type AccountMail = { [K in keyof Facts]: { kind: K; facts: Facts[K] } }[keyof Facts];

interface MailText {
  subject: string;
  text: string;
}

const TEXTS: { readonly [K in keyof Facts]: (facts: Facts[K]) => MailText } = {
  confirm_sign_up: (facts) => ({
    subject: `${facts.code} is your code`,
    text:
      `Somebody signed up with this e-mail address. If it was you, enter this code where you signed up:\n\n    ${facts.code}\n\n` +
      'It holds for a day. If it was not you, there is nothing to do: without the code there is no account. Give it to nobody.\n',
  }),
  sign_up_repeated: () => ({
    subject: 'You already have an account',
    text:
      'Somebody signed up with this e-mail address, and there is already an account with it. If it was you, sign in with your ' +
      'password. If it was not you, there is nothing to do: nobody was told that there is an account.\n',
  }),
  confirm_deletion: (facts) => ({
    subject: `${facts.code} deletes your account`,
    text:
      `Somebody who is signed in to your account asked to delete it. If it was you, enter this code there:\n\n    ${facts.code}\n\n` +
      'It holds for a day. The account is deleted with everything in it, for ever. If it was not you, give the code to nobody: ' +
      'without it nothing is deleted. Whoever asked knows your password, so tell whoever runs this platform.\n',
  }),
  confirm_email: (facts) => ({
    subject: `${facts.code} confirms your new address`,
    text:
      'Somebody who is signed in to an account asked to use this e-mail address for it. If it was you, enter this code there:\n\n' +
      `    ${facts.code}\n\n` +
      'It holds for an hour. If it was not you, there is nothing to do: without the code nothing changes. Give it to nobody.\n',
  }),
  email_requested: () => ({
    subject: 'You already have an account',
    text:
      'Somebody asked to use this e-mail address for another account, and there is already an account with it. If it was you, use ' +
      'another address. If it was not you, there is nothing to do: nobody was told that there is an account.\n',
  }),
  email_changed: () => ({
    subject: 'The e-mail address of your account was changed',
    text:
      'Your account has another e-mail address now: sign in with that one. This address is no longer known. If it was not you, ' +
      'somebody has your password, so tell whoever runs this platform at once.\n',
  }),
  password_changed: () => ({
    subject: 'The password of your account was changed',
    text:
      'The password of your account was changed, and every other session has ended. If it was you, there is nothing to do. If it was ' +
      'not you, somebody had your password, so tell whoever runs this platform at once.\n',
  }),
  recovery_code: (facts) => ({
    subject: `${facts.code} recovers your secrets`,
    text:
      'Somebody who is signed in to your account asked to recover secrets of it. If it was you, enter this code there, together with ' +
      `your password:\n\n    ${facts.code}\n\n` +
      'It holds for 15 minutes. If it was not you, give the code to nobody: without it and your password nothing is recovered. Change ' +
      'your password, which ends all other sessions.\n',
  }),
  secrets_recovered: () => ({
    subject: 'Secrets of your account were recovered',
    text:
      'Recovery copies of secrets were read with your password and a code that was mailed to this address. Only the passphrase of the ' +
      'recovery key opens them. If it was you, there is nothing to do. If it was not you, change your password and replace the secrets ' +
      'of your clients, and tell whoever runs this platform at once.\n',
  }),
  recovery_reset: () => ({
    subject: 'The recovery key of your account is being deleted',
    text:
      'The recovery key of your account is being deleted with all recovery copies. Somebody asked for it with your password and a code ' +
      'that was mailed to this address. Your secrets stay as they are. If it was not you, change your password, and tell whoever runs ' +
      'this platform at once.\n',
  }),
  second_factor_on: () => ({
    subject: 'Sign-in asks for a code now',
    text:
      'A second factor was switched on for your account: after the password, sign-in asks for a code of an authenticator. Keep the ' +
      'backup codes where you find them without your phone. If it was not you, somebody has your password, so tell whoever runs ' +
      'this platform at once.\n',
  }),
  second_factor_off: () => ({
    subject: 'Sign-in no longer asks for a code',
    text:
      'The second factor of your account was switched off: the password alone signs in. If it was you, there is nothing to do. If it ' +
      'was not you, change your password, and tell whoever runs this platform at once.\n',
  }),
  backup_code_used: (facts) => ({
    subject: 'A backup code of your account was used',
    text:
      `A backup code of your account was used in place of a code of your authenticator. It counts no more; ${facts.left} are left. ` +
      'If it was not you, somebody has your password and your backup codes: change the password, make new backup codes, and tell ' +
      'whoever runs this platform at once.\n',
  }),
};

/** The kinds of mails that this version can write. A mail of a later version is left to a process that knows its kind. */
export const ACCOUNT_MAIL_KINDS = Object.keys(TEXTS);

/** Returns the subject and the text of a mail. They are chosen when the mail is sent. */
export const accountMailTextOf = ({ kind, facts }: AccountMail): MailText => (TEXTS[kind] as (facts: unknown) => MailText)(facts);
