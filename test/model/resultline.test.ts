import { expect, it } from 'vitest'
import { firstResultLine } from '../../src/model/resultline.ts'

it('returns the first line of a file that was read, without its number', () => {
  expect(firstResultLine('     1→import a\n     2→import b')).toBe('import a')
  expect(firstResultLine('     1→\n     2→import b')).toBe('import b')
  expect(firstResultLine('    41\tconst a = 1')).toBe('const a = 1')
  expect(firstResultLine('<path>/w/a.js</path>\n<type>file</type>\n<content>\n1: a\n2: b\n</content>')).toBe(
    'a',
  )
  expect(firstResultLine('<file>\n00001| a\n00002| b\n</file>')).toBe('a')
})

it('keeps numbers that number no lines', () => {
  expect(firstResultLine('12\tapples\n7\tpears')).toBe('12\tapples')
  expect(firstResultLine('3 tests passed')).toBe('3 tests passed')
})

it('passes what Codex says of a command before its output', () => {
  const head =
    'Chunk ID: f788d3\nWall time: 0.05 seconds\nProcess exited with code 0\nOriginal token count: 9\n'
  expect(firstResultLine(`${head}Output:\n# Workflow\n`)).toBe('# Workflow')
  expect(firstResultLine(`${head}Output:\n`)).toBe('')
  expect(firstResultLine('Output:\nyes')).toBe('Output:')
})

it('returns nothing of a blank text', () => {
  expect(firstResultLine(' \n\t\n')).toBe('')
})
