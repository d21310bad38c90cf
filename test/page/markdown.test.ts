import { describe, expect, it } from 'vitest'
import { blocksOf } from '../../src/page/blocks.ts'
import { htmlOf } from '../../src/page/html.ts'
import { inlineOf } from '../../src/page/inline.ts'
import { Markdown } from '../../src/page/markdown.tsx'

const painted = (text: string): string =>
  htmlOf(Markdown({ text }), new Map())
    .replace(/^<div class="md">|<\/div>$/g, '')
    .replaceAll(' tabindex="0"', '')

describe('Markdown on a page', () => {
  it.each([
    ['a *b* **c** `d` ~~e~~', '<p>a <em>b</em> <strong>c</strong> <code>d</code> <del>e</del></p>'],
    ['**a *b* c**', '<p><strong>a <em>b</em> c</strong></p>'],
    ['***a***', '<p><strong><em>a</em></strong></p>'],
    ['a_b_c and _d_', '<p>a_b_c and <em>d</em></p>'],
    ['2 * 3 * 4', '<p>2 * 3 * 4</p>'],
    ['`` a`b ``', '<p><code>a`b</code></p>'],
    ['`**a**` **b', '<p><code>**a**</code> **b</p>'],
    ['\\*a\\* &amp; &#233; &eacute; &nonsense;', '<p>*a* &amp; é é &amp;nonsense;</p>'],
    ['one  \ntwo\\\nthree', '<p>one<br>two<br>three</p>'],
    ['# A #\n## B\n####### C', '<h3>A</h3><h4>B</h4><p>####### C</p>'],
    ['A\nB\n===\nC\n---\nd\n\n---', '<h3>A\nB</h3><h4>C</h4><p>d</p><hr>'],
    ['- a\n- b\n  - c\n\n    d\n- e', '<ul><li>a</li><li>b<ul><li>c<p>d</p></li></ul></li><li>e</li></ul>'],
    ['3. a\n4. b', '<ol start="3"><li>a</li><li>b</li></ol>'],
    [
      '- [x] a\n- [ ] b',
      '<ul><li><span class="task done">✓ </span>a</li><li><span class="task">○ </span>b</li></ul>',
    ],
    ['> a\n> - b\n\nc', '<blockquote><p>a</p><ul><li>b</li></ul></blockquote><p>c</p>'],
    ['---\n***', '<hr><hr>'],
    ['<b>x</b>', '<p>&lt;b&gt;x&lt;/b&gt;</p>'],
    [
      '```ts\nconst a = 1\n```',
      '<pre class="code"><code><span class="kw">const</span> a = <span class="nu">1</span></code></pre>',
    ],
    ['```\nnot closed', '<pre class="code"><code>not closed</code></pre>'],
    ['1. a\n\n   ```\n   b\n   ```', '<ol start="1"><li>a<pre class="code"><code>b</code></pre></li></ol>'],
    ['in 2024. It\n2. is not a list', '<p>in 2024. It\n2. is not a list</p>'],
  ])('%j', (text, expected) => {
    expect(painted(text)).toBe(expected)
  })

  it('paints tables, with lines in cells escaped', () => {
    const html = painted('| a | b |\n|---|:-:|\n| 1 | `x\\|y` |\n| 2 |\n\nend')
    expect(html).toContain('<th scope="col">a</th><th scope="col">b</th>')
    expect(html).toContain('<td>1</td><td><code>x|y</code></td>')
    expect(html).toContain('<td>2</td><td></td>')
    expect(html).toContain('<p>end</p>')
  })

  it('leads only to addresses of the web', () => {
    expect(inlineOf('[a](https://x.y/z_(1)) b', new Map())).toEqual([
      { kind: 'link', url: 'https://x.y/z_(1)', inner: ['a'] },
      ' b',
    ])
    expect(painted('[a](javascript:alert(1))')).toBe('<p><span>a</span></p>')
    expect(painted('see https://x.y/z.')).toMatch(
      /^<p>see <a href="https:\/\/x\.y\/z" [^>]*>https:\/\/x\.y\/z\.?<\/a>\.?<\/p>$/,
    )
    expect(painted('![a](https://x.y/z.png)')).not.toContain('<img')
  })

  it('follows the names of addresses, wherever a text gives them', () => {
    const named = (text: string, url = 'https://x.y/1'): string => `${text}\n\n[One  two]: <${url}> "a title"`
    const link = '<a href="https://x.y/1" target="_blank" rel="noopener noreferrer">'
    expect(painted(named('see [this][one two].'))).toBe(`<p>see ${link}this</a>.</p>`)
    expect(painted(named('see [ONE two][] or [one two]'))).toBe(
      `<p>see ${link}ONE two</a> or ${link}one two</a></p>`,
    )
    expect(painted(named('- [x] a [*b*][one two]'))).toContain(`a ${link}<em>b</em></a>`)
    expect(painted('[one two]: https://x.y/1\n> [a][one two]')).toBe(
      `<blockquote><p>${link}a</a></p></blockquote>`,
    )
    expect(painted('> [one two]: https://x.y/1\n\n[a][one two]')).toContain(`${link}a</a>`)
    expect(painted(named('[a][other] [b] list[0]'))).toBe('<p>[a][other] [b] list[0]</p>')
    expect(painted(named('[a][one two]', 'javascript:alert(1)'))).toBe('<p><span>a</span></p>')
    expect(painted('```\n[a]: https://x.y\n```')).toContain('[a]: https://x.y')
    expect(painted('words\n[a]: https://x.y/1')).toContain('[a]: ')
    expect(painted('[toString][] [constructor]')).toBe('<p>[toString][] [constructor]</p>')
  })

  it('takes time in proportion to the length of a text, whatever it holds', () => {
    const time = (text: string): number => {
      const before = process.cpuUsage()
      const { blocks, links } = blocksOf(`${text}\n\n[a]: https://x.y`)
      for (const block of blocks) if (block.kind === 'paragraph') inlineOf(block.text, links)
      return process.cpuUsage(before).user / 1000
    }
    const pieces = [
      '[',
      '*a ',
      '`',
      '**',
      '_a_',
      '![',
      '> ',
      '- ',
      '| a ',
      '<',
      '&',
      '~~a',
      '1. ',
      '\\',
      '[a](',
      '`a` *',
      '# ',
      '\n- a\n  ',
    ]
    time('[a](b) *c* `d`'.repeat(1000))
    for (const piece of pieces) {
      const [short, long] = [5000, 40_000].map((count) => time(piece.repeat(count / piece.length)))
      // Eight times the length; one that grew with the square would take sixty-four times as long.
      expect([piece, (long as number) < 24 * Math.max(short as number, 8)]).toEqual([piece, true])
    }
  })
})
