import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const docs = fileURLToPath(new URL('../../docs/', import.meta.url))
const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.md'))
const read = (page: string): string => readFileSync(join(docs, page), 'utf8')

/** Returns the pages that a page links to, with the heading after `#` where it names one. */
const linksOf = (page: string): string[] =>
  [...read(page).matchAll(/\]\(([^)#:]*)(#[^)]*)?\)/g)].map(
    ([, path = '', anchor = '']) => normalize(join(dirname(page), path || page)) + anchor,
  )

const anchorsOf = (page: string): string[] =>
  [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

describe('the documents', () => {
  it('are all in the index', () => {
    const linked = new Set(linksOf('README.md').map((link) => link.split('#')[0] as string))
    expect([...linked].toSorted()).toEqual(pages.filter((page) => page !== 'README.md').toSorted())
  })

  it.each(pages)('link from %s to what is there', (page) => {
    for (const link of linksOf(page)) {
      const [path = '', anchor] = link.split('#')
      expect([...pages, '../README.md']).toContain(path)
      if (anchor !== undefined) expect(anchorsOf(path)).toContain(anchor)
    }
  })
})
