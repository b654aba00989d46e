import { waitingPage } from './pages.ts';

describe('content security policy of a page with a form @spec D1-5.5', () => {
  const leadsTo = (redirect_uri: string) =>
    waitingPage({ status: 'approved', digits: '42', redirect_uri, state: null, app_name: 'Login' }, 'ses_1').form_leads_to;

  it.each([
    ['https://acme.example:8443/back', 'https://acme.example:8443'],
    ['http://localhost:8080/back', 'http://localhost:8080'],
    ['com.acme.app:/back', 'com.acme.app:'],
    ['https://x;sandbox/', 'https:'],
    ['https://*/', 'https:'],
    ['http://[::1]:8080/back', 'http:'],
  ])('allows the form to redirect to %s, and lets the URI inject no directive', (redirect_uri, source) => {
    expect(leadsTo(redirect_uri)).toEqual([source]);
  });
});
