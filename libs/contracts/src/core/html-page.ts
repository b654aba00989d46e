import { z } from 'zod';

/** A page for a browser: HTML on the wire. */
export const Page = z.object({
  html: z.string(),
  /** Where the browser may be sent when its form is submitted, beside the page's own site. Absent, the page has no form. */
  form_leads_to: z.array(z.string()).optional(),
});
export type Page = z.infer<typeof Page>;
