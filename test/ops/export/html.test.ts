import { describe, expect, it } from 'vitest'
import { html } from '../../src/formats/html.ts'
import { drafted, writtenBy } from '../support/draft.ts'

const page = async (...inputs: Parameters<typeof drafted>[0]): Promise<string> =>
  (await writtenBy(html, drafted(inputs))).text

describe('a session as a page', () => {
  it('shows the messages of all speakers, each entry under its oid', async () => {
    const text = await page(
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'toolCall', id: 'c', name: 'read', arguments: { path: 'a' } }] },
      { role: 'tool', content: [{ type: 'toolResult', toolCallId: 'c', content: 'no', isError: true }] },
    )
    expect(text.slice(text.indexOf('<article'))).toMatchInlineSnapshot(`
      "<article id="5b735af1bafe0881cc13316f1311ddcfcf00430d8a60132b36f3901f0183be80" class="user">
      <header>user · 2026-01-01T00:00:00.000Z · <a href="#5b735af1bafe0881cc13316f1311ddcfcf00430d8a60132b36f3901f0183be80">5b735af1ba</a></header>
      <pre>Hi</pre>
      </article>
      <article id="307d3e10bb99aa1841e10fa2f53d8cba6958e10bdbd4bdf88daa15a5ccf9ceea" class="assistant">
      <header>assistant · 2026-01-01T00:01:00.000Z · <a href="#307d3e10bb99aa1841e10fa2f53d8cba6958e10bdbd4bdf88daa15a5ccf9ceea">307d3e10bb</a></header>
      <details><summary>→ read</summary><pre>path: a</pre></details>
      </article>
      <article id="9504e76305f066feb743906d47a7a2eb868429ab0f4ab7706c408421fa26101e" class="tool">
      <header>tool · 2026-01-01T00:02:00.000Z · <a href="#9504e76305f066feb743906d47a7a2eb868429ab0f4ab7706c408421fa26101e">9504e76305</a></header>
      <details class="failed"><summary>← result</summary><pre>no</pre></details>
      </article>
      </html>
      "
    `)
  })

  it('needs no network and runs nothing', async () => {
    const text = await page(
      { role: 'user', content: '<script src="http://x"></script><img src=x onerror=alert(1)>' },
      {
        role: 'assistant',
        content: [{ type: 'toolCall', id: '"', name: '</summary><b>', arguments: '</pre><i>' }],
      },
      { role: 'user', content: [{ type: 'image', mimeType: 'image/svg+xml"onload="x', data: 'AAAA' }] },
    )
    const body = text.slice(text.indexOf('<article'))
    expect(body).not.toMatch(/<(?:script|img|b|i)\b/)
    expect(text).toContain("default-src 'none'; img-src data:")
    expect(text.match(/https?:/g)).toEqual(['http:'])
  })

  it('loads nothing and links to nothing but itself, whatever the texts are', async () => {
    const words = 'see https://example.com/a.png and http://example.com'
    const remote = { type: 'image', mimeType: 'image/png', url: 'https://example.com/b.png' }
    const { text, losses } = await writtenBy(
      html,
      drafted([{ role: 'user', content: [{ type: 'text', text: words }, remote] }], {
        title: words,
        cwd: words,
      }),
    )
    const attributes = [...text.matchAll(/\s(?:src|href|action|data|poster|srcset)="([^"]*)"/g)]
    const ids = [...text.matchAll(/<article id="([^"]*)"/g)].map(([, id]) => `#${id}`)
    expect(attributes.map(([, value]) => value)).toEqual(ids)
    expect(text).not.toMatch(/url\(|@import|<(?:link|script|iframe|object|embed|base|form|img)\b/)
    expect(text).toMatch(/<meta http-equiv="Content-Security-Policy" content="default-src 'none'; [^"]*">/)
    expect(losses.map(({ code }) => code)).toEqual(['image'])
  })

  it('holds images', async () => {
    const image = { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' }
    const { text, losses } = await writtenBy(html, drafted([{ role: 'user', content: [image] }]))
    expect(text).toContain('<img alt="" src="data:image/png;base64,iVBORw0KGgo=">')
    expect(losses).toEqual([])
  })

  it('reports images that it cannot hold', async () => {
    const image = { type: 'image', mimeType: 'application/pdf', data: 'AAAA' }
    const { text, losses } = await writtenBy(html, drafted([{ role: 'user', content: [image] }]))
    expect(text).toContain('image: application/pdf, 3 bytes')
    expect(losses.map(({ code }) => code)).toEqual(['image'])
  })
})
