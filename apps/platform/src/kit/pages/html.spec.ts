import { html } from './html.ts';

describe('markup', () => {
  it('escapes every text, wherever it stands', () => {
    expect(html`<p title="${'"\'&'}">${'<b>'}</p>`.text).toBe('<p title="&quot;&#39;&amp;">&lt;b&gt;</p>');
  });

  it('takes markup, lists of it and nothing as they are', () => {
    expect(html`<ul>${['a', '<'].map((item) => html`<li>${item}</li>`)}</ul>${undefined}${html`<hr>`}`.text).toBe(
      '<ul><li>a</li><li>&lt;</li></ul><hr>',
    );
  });
});
