import { describe, expect, it } from 'vitest'
import { filesOf } from '../../src/model/files.ts'
import type { Json } from '../../src/model/json.ts'

const files = (name: string, input: Json): string[] =>
  filesOf({ kind: 'toolCall', id: 'c', name, input }).map(({ path, does }) => `${does} ${path}`)

describe('filesOf', () => {
  it('reads the arguments of the tools of many agents', () => {
    expect(files('Read', { file_path: '/a.ts' })).toEqual(['read /a.ts'])
    expect(files('MultiEdit', { file_path: '/a.ts', edits: [] })).toEqual(['change /a.ts'])
    expect(files('NotebookEdit', { notebook_path: 'n.ipynb' })).toEqual(['change n.ipynb'])
    expect(files('read', { path: 'b', limit: 3 })).toEqual(['read b'])
    expect(files('write', { content: 'x', path: 'b' })).toEqual(['change b'])
    expect(files('read_file', { absolute_path: '/c' })).toEqual(['read /c'])
    expect(files('replace', { file_path: 'd' })).toEqual(['change d'])
    expect(files('edit', { filePath: 'e' })).toEqual(['change e'])
    expect(files('str_replace_based_edit_tool', { command: 'create', path: 'f' })).toEqual(['change f'])
  })

  it('finds the files of a patch, wherever it stands', () => {
    const patch =
      '*** Begin Patch\n*** Add File: a b.txt\n+x\n*** Update File: c\n*** Move to: d\n*** Delete File: e\n*** End Patch'
    const all = ['change a b.txt', 'change c', 'change d', 'change e']
    expect(files('apply_patch', patch)).toEqual(all)
    expect(files('apply_patch', { input: patch })).toEqual(all)
    expect(files('shell', { command: ['apply_patch', patch] })).toEqual(all)
  })

  it('claims nothing of other tools, and of calls that name no file', () => {
    expect(files('bash', { command: 'cat a.txt', path: 'x' })).toEqual([])
    expect(files('grep', { path: 'src', pattern: 'x' })).toEqual([])
    expect(files('threads', { path: 'x' })).toEqual([])
    expect(files('write', { path: '' })).toEqual([])
    expect(files('write', 7)).toEqual([])
    expect(files('apply_patch', '*** Add File: x')).toEqual([])
  })
})
