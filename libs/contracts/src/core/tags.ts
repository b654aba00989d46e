/** The chapters of the OpenAPI document. */
export const TAGS = {
  access: 'Sign-up, sign-in, tokens, and what the front door says to anyone.',
  account: "The caller's own account: level, profile, password, second factor, keys, region.",
  'account clients': 'Clients that automate the account of a company. They never read data of persons.',
  'consumer app': 'What the app of a person does: approvals, messages, connect requests, documents, phones.',
  'contract flows':
    'Runs of flows that were written in the portal. Each party seals its answers to all parties, and the party whose turn it is chooses ' +
    'the next step.',
  customer:
    'A person, or a company as a customer: connecting to services, and what is shared with them. A company has its own feed here, its ' +
    'messages and its documents.',
  delegates: 'Other users who work for the company, and the companies that the caller works for.',
  documents: 'Documents and contracts that a service issues to its customers.',
  forwarder: 'The way to plugins. It takes passes, and no token of the platform.',
  messages: 'Messages between a service and its customers, sealed to their readers.',
  plugins: 'Plugins of a company: programs elsewhere that answer fields of flows.',
  portal: 'Writing flows; only for a company user who is signed in.',
  profile: "The caller's own values and photos.",
  recovery: 'Sealed copies of secrets that are shown once.',
  registry: 'Field types, fields and public keys.',
  'service data':
    'What a service client reads: connections, values, and the feed of their changes. Values are ciphertext for the service key.',
  services: 'The services of a company: keys, codes, what they ask for, and their data clients.',
  'sign-in apps': 'Apps of a company that let people sign in with their account.',
  'two-factor': "Approval of the company's own logins by a person.",
  verification: 'Providers that verify values of profiles: who they are, what users ask of them, and what they attest.',
  webhooks: 'Events of a service, posted to an address of yours.',
} as const;
export type Tag = keyof typeof TAGS;
