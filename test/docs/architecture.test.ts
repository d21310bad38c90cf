import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { FLOORS } from '../support/floors.ts'

const src = fileURLToPath(new URL('../../src/', import.meta.url))
const text = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8')

/** The names between backticks in the first cells of a table, under the heading that stands before it. */
function firstCells(heading: string): string[][] {
  const [, from = ''] = text.split(`${heading}\n`)
  const [table = ''] = from.slice(from.indexOf('\n|---') + 1).split('\n\n')
  const rows = table.split('\n').filter((line) => line.startsWith('| `'))
  return rows.map((line) =>
    [...(line.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  )
}

const foldersIn = (path: string): string[] =>
  readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)

it('names every layer, and what it may import', () => {
  const floors = firstCells('# Architecture').flat()
  expect(floors.toSorted()).toEqual(foldersIn(src).toSorted())
  const said: [string, string[]][] = floors.map((floor) => {
    const [row = ''] = text.split('\n').filter((line) => line.startsWith(`| \`${floor}\` |`))
    const [, , , allowed = ''] = row.split('|')
    const named = [...allowed.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)
    const before = floors.slice(0, floors.indexOf(floor))
    const all = allowed.includes('all above')
    const may = all ? before.filter((name) => !named.includes(name)) : named
    return [floor, may.toSorted()]
  })
  expect(said).toEqual(floors.map((floor) => [floor, FLOORS[floor]?.floors.toSorted()]))
})

it('names every folder of a layer', () => {
  const named = firstCells('## Folders').flatMap((names) => {
    const floor = (names[0] ?? '').split('/')[0]
    return names.map((name) => (name.includes('/') ? name : `${floor}/${name}`))
  })
  const rooms = foldersIn(src).flatMap((floor) => foldersIn(src + floor).map((room) => `${floor}/${room}`))
  expect(named.toSorted()).toEqual(rooms.toSorted())
})

it('names files that are there', () => {
  const named = [...text.matchAll(/`((?:\w[\w-]*\/)+[\w-]+\.ts)`/g)].map(([, path = '']) => path)
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((path) => !existsSync(src + path))).toEqual([])
})

it('counts the members of the interface of storage, and the lines of the smallest backend', () => {
  const decision = readFileSync(new URL('../../docs/decisions/storage-interface.md', import.meta.url), 'utf8')
  const [, backend = ''] = readFileSync(`${src}storage/backend.ts`, 'utf8').split(
    '\nexport interface Backend {',
  )
  const members = backend.slice(0, backend.indexOf('\n}')).match(/^ {2}(?:readonly )?\w+[(:]/gm) ?? []
  expect(decision.match(/\d+(?=\s+members)/g)).toEqual([`${members.length}`, `${members.length}`])
  const simple = readFileSync(new URL('../conformance/simplebackend.ts', import.meta.url), 'utf8')
  expect(simple.split('\n').length - 1).toBeLessThan(300)
})

/** A row of the path of an append: a function, or a class and its method, and the file that it is in. */
const STEP = /^\| `(?:(\w+)\.)?(\w+)` \| `([\w/]+\.ts)` \|/gm

it('names the functions of an append, in the files that they are in', () => {
  const steps = [...text.matchAll(STEP)]
  expect(steps.length).toBeGreaterThan(10)
  for (const [, owner, name, file] of steps) {
    const source = readFileSync(`${src}${file}`, 'utf8')
    const isThere = owner
      ? source.includes(`class ${owner}`) && new RegExp(`^ {2}(?:async )?${name}[(<]`, 'm').test(source)
      : new RegExp(`^export (?:async )?function ${name}[(<]`, 'm').test(source)
    expect([owner, name, file, isThere]).toEqual([owner, name, file, true])
  }
})
