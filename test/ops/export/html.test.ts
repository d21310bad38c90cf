import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/model/json.ts'
import { append, createSession } from '../../../src/ops/append/append.ts'
import { createBranch } from '../../../src/ops/branch.ts'
import { exportSession } from '../../../src/ops/export/export.ts'
import { html } from '../../../src/ops/export/html.ts'
import { setLabel } from '../../../src/ops/label.ts'
import { loadSecretList } from '../../../src/ops/secrets/scan.ts'
import { drafted, writtenBy } from '../../support/draft.ts'
import { expectFailure } from '../../support/errors.ts'
import { openRepo } from '../../support/store.ts'

const page = async (...inputs: Parameters<typeof drafted>[0]): Promise<string> =>
  (await writtenBy(html, drafted(inputs))).text

const bodyOf = (text: string): string => text.slice(text.indexOf('</header>') + '</header>'.length)

/** Returns what a page shows: its text without tags. */
const shownIn = (text: string): string =>
  text
    .replace(/<style>[^]*?<\/style>|<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

describe('a session as a page', () => {
  it('shows the turns of all speakers, a call with its result', async () => {
    const text = await page(
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'toolCall', id: 'c', name: 'read', arguments: { path: 'a' } }] },
      { role: 'tool', content: [{ type: 'toolResult', toolCallId: 'c', content: 'no', isError: true }] },
    )
    expect(bodyOf(text).replaceAll(/<svg[^]*?<\/svg>/g, '')).toMatchInlineSnapshot(`
      "
      <article class="m user" id="e-5b735af1bafe0881"><span class="me" aria-hidden="true"></span><div class="mc"><div class="hd"><b>You</b><time datetime="2026-01-01T00:00:00.000Z">00:00</time></div><div class="body"><div class="md"><p>Hi</p></div></div></div></article>
      <article class="m assistant" id="e-307d3e10bb99aa18"><span class="agent c4" aria-hidden="true">S</span><div class="mc"><div class="hd"><b>sess</b><time datetime="2026-01-01T00:01:00.000Z">00:01</time></div><div class="tools"><div><details class="tool-fold"><summary class="tool"><span class="faint"></span><span class="nm">Read</span><span class="mono ell grow">a</span><span class="chip bad">failed</span></summary><pre class="out bad" tabindex="0">no</pre></details></div></div></div></article>
      <footer class="file-ft">written by sess</footer>
      </main>
      </html>
      "
    `)
  })

  it('paints a call and its result as one, wherever pieces are parted', async () => {
    const exchanges = Array.from({ length: 100 }, (_, i) => [
      {
        role: 'assistant',
        content: [{ type: 'toolCall', id: `c${i}`, name: 'read', arguments: { path: `a${i}` } }],
      },
      { role: 'tool', content: [{ type: 'toolResult', toolCallId: `c${i}`, content: `result ${i}.` }] },
    ])
    const { text, losses } = await writtenBy(
      html,
      drafted([{ role: 'user', content: 'Hi' }, ...exchanges.flat()]),
    )
    expect(text.match(/<details/g)).toHaveLength(100)
    expect(text.match(/result \d+\./g)).toHaveLength(100)
    expect(losses).toEqual([])
  })

  it('needs no network and runs nothing', async () => {
    const text = await page(
      { role: 'user', content: '<script src="http://x"></script><img src=x onerror=alert(1)>' },
      {
        role: 'assistant',
        content: [{ type: 'toolCall', id: '"', name: '</summary><b>', arguments: '</pre><i>' }],
      },
      {
        role: 'assistant',
        content: '[a](javascript:alert(1)) ![b](https://example.com/b.png) `<u>` **<s>**',
      },
      { role: 'user', content: [{ type: 'image', mimeType: 'image/svg+xml"onload="x', data: 'AAAA' }] },
    )
    expect(bodyOf(text)).not.toMatch(/<(?:script|img|i|u|s|link|iframe)\b/)
    expect(text).not.toMatch(/javascript:[^<]*"|\bon\w+="/)
    expect(text).not.toMatch(/url\(|@import/)
    expect(text).toContain("default-src 'none'; img-src data:")
    expect(text).not.toMatch(/\s(?:src|action|data|poster|srcset)="/)
    const addresses = [...text.matchAll(/\shref="([^"]*)"/g)].flatMap(([, one]) =>
      one?.startsWith('#') ? [] : one,
    )
    expect(addresses).toEqual(['http://x'])
  })

  it('leads to addresses of the web without telling them where from', async () => {
    const text = await page({ role: 'assistant', content: 'See [it](https://example.com/a).' })
    expect(text).toContain('href="https://example.com/a" target="_blank" rel="noopener noreferrer"')
    expect(text).toContain('<meta name="referrer" content="no-referrer">')
  })

  it('holds images', async () => {
    const image = { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' }
    const { text, losses } = await writtenBy(html, drafted([{ role: 'user', content: [image] }]))
    expect(text).toContain('src="data:image/png;base64,iVBORw0KGgo="')
    expect(losses).toEqual([])
  })

  it('reports images that it cannot hold', async () => {
    const image = { type: 'image', mimeType: 'application/pdf', data: 'AAAA' }
    const { text, losses } = await writtenBy(html, drafted([{ role: 'user', content: [image] }]))
    expect(text).toContain('image: application/pdf, 3 B')
    expect(losses.map(({ code }) => code)).toEqual(['image'])
  })

  it('takes little more than the text that it shows', async () => {
    const exchange = (i: number): Parameters<typeof drafted>[0] => [
      { role: 'user', content: `Change file ${i}, please, and run the tests after it. `.repeat(4) },
      {
        role: 'assistant',
        content: [
          {
            type: 'text',
            text: `## File ${i}\n\n- one\n- two\n\n\`\`\`ts\n${'const a = f(1) // sum\n'.repeat(12)}\`\`\``,
          },
          {
            type: 'toolCall',
            id: `c${i}`,
            name: 'edit',
            arguments: {
              path: `src/a${i}.ts`,
              old_string: 'one line\n'.repeat(12),
              new_string: 'another line\n'.repeat(12),
            },
          },
        ],
      },
      {
        role: 'tool',
        content: [{ type: 'toolResult', toolCallId: `c${i}`, content: 'a line of output\n'.repeat(20) }],
      },
    ]
    const text = await page(...Array.from({ length: 60 }, (_, i) => exchange(i)).flat())
    expect(text.length).toBeLessThan(1.6 * shownIn(text).length + 60_000)
  })
})

describe('a page to share', () => {
  const KEY = `ghp_${'a1B2'.repeat(9)}`
  const written = async (content: Json, options: Parameters<typeof exportSession>[2]): Promise<string> => {
    const repo = await openRepo()
    const id = await createSession(repo, {})
    await append(repo, id, [{ body: { role: 'user', content } }])
    const pieces: Uint8Array[] = []
    for await (const piece of exportSession(repo, id, { format: 'html', ...options })) pieces.push(piece)
    return Buffer.concat(pieces).toString()
  }

  it('is not written where the session holds secrets', async () => {
    await expectFailure('has-secrets', () => written(`my key is ${KEY}`, {}))
    expect(await written('my key is elsewhere', {})).toContain('my key is elsewhere')
  })

  it('is written of a branch without secrets, whatever another branch holds', async () => {
    const repo = await openRepo()
    const id = await createSession(repo, {})
    const says = (content: string) => [{ body: { role: 'user', content } }]
    const [begin] = await append(repo, id, says('my key is elsewhere'))
    await createBranch(repo, id, 'other', begin)
    await append(repo, id, says(`my key is ${KEY}`), { branch: 'other' })
    const pageOf = async (branch: string): Promise<string> => {
      const pieces: Uint8Array[] = []
      for await (const piece of exportSession(repo, id, { format: 'html', branch })) pieces.push(piece)
      return Buffer.concat(pieces).toString()
    }
    expect(await pageOf('main')).toContain('my key is elsewhere')
    await expectFailure('has-secrets', () => pageOf('other'))
  })

  it.each(['title', 'label'])('is not written where its %s holds a secret', async (place) => {
    const repo = await openRepo()
    const id = await createSession(repo, place === 'title' ? { title: `with ${KEY}` } : {})
    await append(repo, id, [{ body: { role: 'user', content: 'nothing here' } }])
    if (place === 'label') await setLabel(repo, KEY, undefined, { session: id })
    await expectFailure('has-secrets', async () => {
      for await (const piece of exportSession(repo, id, { format: 'html' })) expect(piece).toBeUndefined()
    })
  })

  it('is written where they are masked, or allowed', async () => {
    const masked = await written(`my key is ${KEY}`, { redact: await loadSecretList() })
    expect(masked).toContain('my key is ')
    expect(masked).not.toContain(KEY)
    expect(await written(`my key is ${KEY}`, { allowSecrets: true })).toContain(KEY)
  })
})

describe('a page that compares two branches', () => {
  const KEY = `ghp_${'a1B2'.repeat(9)}`
  const written = async (
    answer: string,
    options: Parameters<typeof exportSession>[2] = {},
    other = 'other',
  ): Promise<string> => {
    const repo = await openRepo()
    const id = await createSession(repo, { title: 'Tides' })
    const says = (role: string, content: string) => ({ body: { role, content } })
    const [begin] = await append(repo, id, [says('user', 'Fix the <tide> table')])
    await createBranch(repo, id, other, begin)
    await append(repo, id, [says('assistant', 'The first way')])
    await append(repo, id, [says('assistant', answer)], { branch: other })
    const pieces: Uint8Array[] = []
    const range = `${id}/main..${id}/${other}`
    for await (const piece of exportSession(repo, range, { format: 'html', ...options })) pieces.push(piece)
    return Buffer.concat(pieces).toString()
  }

  it('shows what they share, the measures, and the messages side by side', async () => {
    const text = await written('The <second> way')
    for (const words of ['1 entry in common', 'Since they parted', 'first', '&lt;second&gt;', '</html>'])
      expect(text).toContain(words)
    expect(text).not.toMatch(/<script|<second>|src="http/)
    expect(text.length).toBeLessThan(60_000)
  })

  it('is not written where a side holds secrets, unless they are masked or allowed', async () => {
    await expectFailure('has-secrets', () => written(`my key is ${KEY}`))
    const masked = await written(`my key is ${KEY}`, { redact: await loadSecretList() })
    expect(masked).toContain('my')
    expect(masked).not.toContain(KEY)
    expect(await written(`my key is ${KEY}`, { allowSecrets: true })).toContain(KEY)
  })
  it('is not written where the name of a branch is a secret, unless it is masked', async () => {
    await expectFailure('has-secrets', () => written('The second way', {}, KEY))
    const masked = await written('The second way', { redact: await loadSecretList() }, KEY)
    expect(masked).toContain('second</mark> way')
    expect(masked).not.toContain(KEY)
  })
})
