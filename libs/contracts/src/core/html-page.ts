import { z } from 'zod';

/** A page for a browser: HTML on the wire. */
export const Page = z.object({
  html: z.string(),
  /** Addresses that the browser may be sent to when the form is submitted, beside the page's own site. Absent when the page has no form. */
  form_leads_to: z.array(z.string()).optional(),
  /** Where the browser is sent at once, in place of reading the page. */
  location: z.string().optional(),
});
export type Page = z.infer<typeof Page>;
