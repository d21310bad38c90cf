import { describe, expect, it } from 'vitest'
import { treeOf } from '../../../src/compat/core/tree.ts'
import type { SessionEntry, SessionTreeNode } from '../../../src/compat/core/types.ts'

const entry = (id: string, parentId: string | null, second = 0): SessionEntry => ({
  type: 'custom',
  customType: 'c',
  id,
  parentId,
  timestamp: new Date(second * 1000).toISOString(),
})

/** Returns trees as text: `a(b c)`. */
const drawn = (nodes: readonly SessionTreeNode[]): string =>
  nodes
    .map(({ entry: { id }, children }) => (children.length === 0 ? id : `${id}(${drawn(children)})`))
    .join(' ')

const tree = (...entries: readonly SessionEntry[]): SessionTreeNode[] => treeOf(entries, () => ({}))

describe('treeOf', () => {
  it('L7: sorts children by time, roots not', () => {
    const children = [entry('b', 'r', 5), entry('c', 'r', 3), entry('d', 'r', 3)]
    expect(drawn(tree(entry('r', null, 9), ...children, entry('q', null, 1)))).toBe('r(c d b) q')
  })

  it('L7 F18: takes orphans and entries that are their own parents for roots', () => {
    expect(drawn(tree(entry('a', 'gone'), entry('b', 'a'), entry('s', 's')))).toBe('a(b) s')
  })

  it('F18: opens a circle at an entry of it, and loses none', () => {
    expect(drawn(tree(entry('a', 'c'), entry('b', 'a'), entry('c', 'b'), entry('t', 'b')))).toBe('a(b(c t))')
  })

  it('F18: hangs each entry at one place where an id is taken twice', () => {
    expect(drawn(tree(entry('1', null), entry('2', '1'), entry('1', '2')))).toBe('1 2(1)')
  })

  it('needs no stack: a path of 100,000 entries, and 100,000 children', () => {
    const path = Array.from({ length: 100_000 }, (_, i) => entry(`${i}`, i === 0 ? null : `${i - 1}`))
    let node = treeOf(path, () => ({}))[0]
    let depth = 0
    for (; node; node = node.children[0]) depth++
    expect(depth).toBe(100_000)
    const wide = Array.from({ length: 100_000 }, (_, i) => entry(`${i}`, i === 0 ? null : '0'))
    expect(treeOf(wide, () => ({}))[0]?.children).toHaveLength(99_999)
  })
})
