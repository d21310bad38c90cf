import { describe, expect, it } from 'vitest'
import { NAMES } from '../support/hostilenames.ts'
import { CHROMIUM, SKIPPED, servePage, startBrowser, storeWith, Tab } from '../support/webpage.ts'

const SCRIPT =
  '<script>alert(1)</script><img src=x onerror="alert(2)"><svg onload=alert(3)><iframe srcdoc="<script>alert(4)</script>">'

/** Texts that would run, load or lead somewhere, or take the page apart. */
const TEXTS: readonly string[] = [
  SCRIPT,
  '[click](javascript:alert(5)) [click](data:text/html,<script>alert(6)</script>) ![x](https://tracker.invalid/x.png)',
  '<a href="javascript:alert(7)">x</a> <https://example.invalid/a> &lt;script&gt; &eacute;',
  '```html\n<script>alert(8)</script>\n```\n\n`<b onmouseover=alert(9)>`',
  '| a | b |\n|---|---|\n| <script>alert(10)</script> | [x](vbscript:alert(11)) |',
  `${'> '.repeat(500)}deep`,
  `${'- '.repeat(500)}deep`,
  '['.repeat(20_000),
  '*a '.repeat(20_000),
  '`'.repeat(20_000),
  `x${'y'.repeat(300_000)}`,
  '\u202egnp.exe\u202c \u2066hidden\u2069',
  ...Object.values(NAMES).filter((name) => name !== ''),
]

const isWhole = (text: string): boolean => text.isWellFormed() && !text.includes('\u0000')

describe.skipIf(!CHROMIUM)(`a hostile transcript on the web page${SKIPPED}`, () => {
  it('runs nothing, loads nothing, and leaves the page whole', async () => {
    const bodies = TEXTS.filter(isWhole).flatMap((text, i) => [
      { role: 'user', content: text },
      {
        role: 'assistant',
        content: [
          { type: 'text', text },
          {
            type: 'toolCall',
            id: `c${i}`,
            name: SCRIPT.slice(0, 40),
            arguments: { command: text, path: text },
          },
        ],
      },
      {
        role: 'tool',
        content: [{ type: 'toolResult', toolCallId: `c${i}`, content: text, isError: i % 2 === 0 }],
      },
    ])
    const { dir, ids } = await storeWith(bodies)
    const served = await servePage(dir, { write: true })
    const browser = await startBrowser()
    const tab = await Tab.open(browser, served)
    const { page } = tab
    const [id] = ids as [string]
    for (const name of [SCRIPT.slice(0, 100), '\u202egnp.exe'])
      await fetch(`${served.running.url}/api/sessions/${id}/rename`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${served.running.token}`,
          origin: served.running.url,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ title: name }),
      })
    for (const address of [
      '/',
      `/s/${id}`,
      `/s/${id}?filter=all`,
      `/context?r=${id}`,
      `/timeline/${id}`,
      `/search?q=alert`,
      `/compare?r=${encodeURIComponent(SCRIPT)}&r=${id}`,
      `/s/${encodeURIComponent(SCRIPT)}`,
      `/nowhere/%ff?x=%E0%A4%A`,
    ]) {
      await tab.go(address)
      await page.evaluate(() => {
        for (const one of document.querySelectorAll('details')) one.open = true
      })
      await tab.settled()
      const found = await page.evaluate(() => ({
        made: [
          ...document.querySelectorAll(
            'script:not([src="main.js"]), iframe, img, object, embed, [onerror], [onload]',
          ),
        ].length,
        links: [...document.querySelectorAll('a[href]')]
          .map((link) => link.getAttribute('href') ?? '')
          .filter((link) => !/^(?:#|https?:)/.test(link)),
        width: document.documentElement.scrollWidth - innerWidth,
        turned: (document.body.textContent ?? '').includes('\u202e'),
      }))
      expect([address, found]).toEqual([address, { made: 0, links: [], width: 0, turned: false }])
    }
    // A session that is not there is answered with 404, which the browser notes by itself.
    expect(tab.offences.filter((one) => !/status of 40[04]/.test(one))).toEqual([])
  }, 180_000)
})
