import { discovery, regions, seals, tokens, type Output } from '@codase/contracts';

type FrontPage = Exclude<Output<typeof discovery.frontPage>, { bytes: unknown }>;

/** Returns the name of the platform, and the addresses that a caller needs first. */
export const frontPage = (frontDoorUrl: string): FrontPage => ({
  name: 'Company Data Service',
  description: 'Persons share data with companies, and nobody in between can read it: values are sealed to the service they are meant for.',
  documentation: `${frontDoorUrl}${discovery.apiExplorer.path}`,
  openapi: `${frontDoorUrl}${discovery.openapiDocument.path}`,
  token_endpoint: `${frontDoorUrl}${tokens.issueToken.path}`,
  regions: `${frontDoorUrl}${regions.listRegions.path}`,
  health: `${frontDoorUrl}${discovery.health.path}`,
});

/** The same for a browser. Links have no host, so that they lead back to the address that the reader used. */
export const frontPageHtml = ({ name, description }: FrontPage): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}</title>
</head>
<body>
<main>
<h1>${name}</h1>
<p>${description}</p>
<ul>
<li><a href="${discovery.apiExplorer.path}">The API, explained</a>, with a form to try each call</li>
<li><a href="${discovery.openapiDocument.path}">The same as an OpenAPI document</a>, for programs</li>
<li><a href="${seals.verifyPage.path}">Verify a PDF</a> that was sealed here</li>
<li><a href="${regions.listRegions.path}">The regions</a> and their addresses</li>
</ul>
<p>Tokens are issued by <code>POST ${tokens.issueToken.path}</code>; each names the region that the data of its owner is in.</p>
</main>
</body>
</html>
`;
