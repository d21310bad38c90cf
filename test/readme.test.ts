import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { rerun } from './support/document.ts'
import { runPipeline } from './support/pipeline.ts'
import { Shell } from './support/shell.ts'

it('shows what its commands print', async () => {
  const shell = new Shell()
  const readme = readFileSync(fileURLToPath(new URL('../README.md', import.meta.url)), 'utf8')
  expect(readme.match(/^```console$/gm)?.length).toBeGreaterThan(4)
  const shown = await rerun(readme, async (line) => (await runPipeline(shell, line)).output)
  await expect(shown).toMatchFileSnapshot('../README.md')
})
