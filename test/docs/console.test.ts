import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { rerun } from '../support/document.ts'
import { runPipeline } from '../support/pipeline.ts'
import { Shell } from '../support/shell.ts'

const docs = fileURLToPath(new URL('../../docs/', import.meta.url))
const read = (page: string): string => readFileSync(join(docs, page), 'utf8')
const pages = readdirSync(docs).filter((page) => page.endsWith('.md') && /^```console$/m.test(read(page)))

describe('the documents', () => {
  it.each(pages)('show in %s what its commands print', async (page) => {
    const shell = new Shell()
    const shown = await rerun(read(page), async (line) => (await runPipeline(shell, line)).output)
    await expect(shown).toMatchFileSnapshot(join(docs, page))
  })
})
