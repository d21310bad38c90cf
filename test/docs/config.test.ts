import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { SETTINGS } from '../../src/verbs/settings.ts'

const TABLE = /(?<=<!-- settings -->\n)(?:\|.*\n)*/

it('lists every setting', async () => {
  const rows = [...SETTINGS].map(
    ([name, { allows, fallback, does }]) => `| \`${name}\` | ${allows} | \`${fallback}\` | ${does} |\n`,
  )
  const table = `| setting | may be | is unless set | does |\n|---|---|---|---|\n${rows.join('')}`
  const text = readFileSync(new URL('../../docs/config.md', import.meta.url), 'utf8')
  expect(text).toMatch(TABLE)
  await expect(text.replace(TABLE, table)).toMatchFileSnapshot('../../docs/config.md')
})
