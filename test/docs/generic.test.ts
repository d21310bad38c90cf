import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FORMATS } from '../../src/formats/registry.ts'
import { exportSession } from '../../src/ops/export/export.ts'
import { importPaths } from '../../src/ops/import/import.ts'
import { newFolder } from '../support/folder.ts'
import { openRepo } from '../support/store.ts'

const text = readFileSync(new URL('../../docs/formats/generic.md', import.meta.url), 'utf8')

const rows = [
  ...text.matchAll(/^\| `([^`]+)` \| `(".*")` \| (\w+) \| (\d+) \| (\d+) \| (\d+) \|(.*)\|$/gm),
].map(([, name = '', json = '', format, records, entries, salvaged, warnings = '']) => ({
  name,
  content: JSON.parse(json) as string,
  expected: {
    format,
    records: Number(records),
    entries: Number(entries),
    salvaged: Number(salvaged),
    warnings: warnings.split(' ').filter((code) => code !== ''),
  },
}))

describe('the document of the generic formats', () => {
  it('has examples', () => {
    expect(rows.length).toBe(11)
  })

  it.each(rows)('tells what becomes of $name', async ({ name, content, expected }) => {
    const path = join(newFolder(), name)
    writeFileSync(path, content)
    const repo = await openRepo()
    const { files } = await importPaths(repo, [path])
    const [file] = files
    expect(file && { ...file, warnings: file.warnings.map(({ code }) => code) }).toMatchObject(expected)
    let back = ''
    for await (const piece of exportSession(repo, file?.session ?? '')) back += Buffer.from(piece).toString()
    expect(back).toBe(content)
  })

  it('names the formats in their order', () => {
    const named = /^ ([\w-]+(?: → [\w-]+)+)$/m.exec(text)?.[1]?.split(' → ')
    expect(named).toEqual(FORMATS.map(({ name }) => name))
  })
})
