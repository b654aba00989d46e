import { readIban } from './iban.ts';
import { QUESTION_INVALID, type BuiltinPlugin } from './builtin-plugin.ts';

/** Checks an IBAN by its country, its form and its check digits, and returns its parts. No bank is asked whether the account exists. */
export const BANK_ACCOUNT: BuiltinPlugin = {
  key: 'bank_account',
  description: {
    name: 'Bank account',
    field_types: [
      {
        field_type: 'iban',
        label: 'Bank account (IBAN)',
        blocks: [{ key: 'iban', kind: 'text', label: 'IBAN' }],
        inputs: [{ key: 'country', type: 'text', label: 'Country that the account has to be in (DE)', required: false }],
        outputs: [
          { key: 'valid', type: 'boolean', label: 'Whether it can be an account' },
          { key: 'iban', type: 'text', label: 'IBAN in groups of four' },
          { key: 'country_code', type: 'text', label: 'Country of the account' },
          { key: 'bank_code', type: 'text', label: 'Code of the bank' },
        ],
      },
    ],
  },
  answer({ field_type, op, values, inputs }) {
    if (field_type !== 'iban' || op !== 'outputs') return QUESTION_INVALID;
    const read = readIban(String(values['iban'] ?? ''));
    const country = inputs['country'];
    const isThere = typeof country !== 'string' || country.trim() === '' || read?.country_code === country.trim().toUpperCase();
    return { outputs: read && isThere ? { valid: true, ...read } : { valid: false, iban: null, country_code: null, bank_code: null } };
  },
};
