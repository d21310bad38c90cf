import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { FORMATS } from '../../src/formats/registry.ts'

const PAGES = new URL('../../docs/formats/', import.meta.url)

/** A sentence of a page such as: Written for 2.1.278 (`claude-code`, `claude-web`). */
const WRITTEN = /^Written for ([^\s(]+) \((`[^)]+`)\)\.?/gm

it('says of each format which version its page was written for', () => {
  const said = readdirSync(PAGES)
    .filter((name) => name.endsWith('.md'))
    .flatMap((name) => [...readFileSync(new URL(name, PAGES), 'utf8').matchAll(WRITTEN)])
    .flatMap(([, version = '', names = '']) =>
      [...names.matchAll(/`([^`]+)`/g)].map(([, format]) => `${format} ${version}`),
    )
  const declared = FORMATS.flatMap(({ name, load }) => {
    const { known } = load()
    return known ? [`${name} ${known.written}`] : []
  })
  expect(said.sort()).toEqual(declared.sort())
})
