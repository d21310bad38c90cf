import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { type Binding, KEYMAP } from '../../src/tui/state/keymap.ts'

const path = fileURLToPath(new URL('../../docs/browse.md', import.meta.url))

const HEAD = '| action | keys | does |\n|---|---|---|\n'

it('docs/browse.md lists the keys of the browser', async () => {
  const page = readFileSync(path, 'utf8')
  const rows = Object.entries<Binding>(KEYMAP).map(
    ([name, { keys, does }]) => `| ${name} | ${keys.map((key) => `\`${key}\``).join(' ')} | ${does} |\n`,
  )
  const [before = '', rest = ''] = page.split(HEAD)
  const after = rest.slice(rest.indexOf('\n\n') + 1)
  await expect(`${before}${HEAD}${rows.join('')}\n${after.trimStart()}`).toMatchFileSnapshot(path)
})
