import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as dash from '../../src/compat/dash/index.ts'
import * as omp from '../../src/compat/oh-my-pi/index.ts'
import * as pi from '../../src/compat/pi/index.ts'
import * as rollouts from '../../src/compat/rollouts/index.ts'
import * as sess from '../../src/index.ts'
import { listedByHelp } from '../support/help.ts'
import { Shell } from '../support/shell.ts'

const text = readFileSync(new URL('../../docs/seeds.md', import.meta.url), 'utf8')

/** The code spans in two columns of each row of the tables. */
const rows = text
  .split('\n')
  .filter((line) => line.startsWith('| ') && line !== '| the seed | command | function |')
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span)),
  )
/** The clauses that say that something is not there, with the names in them. */
const absences = text
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .flatMap((line) => line.split(/[|;]/))
  .filter((clause) => clause.includes('not here'))
  .map((clause) => [clause.trim(), [...clause.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span)] as const)
const commandLines = [...new Set(rows.flatMap(([, spans = []]) => spans))].filter((span) =>
  /^sess [a-z]/.test(span),
)

const FACADES: ReadonlyMap<string, object> = new Map<string, object>([
  ['sess/pi', pi],
  ['sess/oh-my-pi', omp],
  ['sess/dash', dash],
  ['sess/rollouts', rollouts],
])

/** Functions by their names with the module before each: `sess/dash SessionTree.open`. */
const functions = [
  ...new Set(
    rows.flatMap(([, , spans = []]) => {
      let module = 'sess'
      return spans.flatMap((span) => {
        if (FACADES.has(span)) module = span
        return FACADES.has(span) ? [] : [`${module} ${span.replace(/\(.*$/, '')}`]
      })
    }),
  ),
]

/** Returns what a name stands for: of a class a function of its own, else one of what it makes. */
function named(module: string, name: string): unknown {
  const [owner = '', member] = name.split('.')
  if (owner === 'store' || owner === 'session') {
    const { prototype } = owner === 'store' ? sess.Store : sess.StoredSession
    return Reflect.get(prototype, member ?? '')
  }
  const value: unknown = Reflect.get(FACADES.get(module) ?? sess, owner)
  if (member === undefined || !(value instanceof Object)) return value
  const prototype: unknown = Reflect.get(value, 'prototype')
  return (
    Reflect.get(value, member) ?? (prototype instanceof Object ? Reflect.get(prototype, member) : undefined)
  )
}

describe('the table of what the seeds describe', () => {
  it('has a part for each of the five, and three columns', () => {
    expect(text.match(/^## \d\. .*$/gm)).toHaveLength(5)
    expect(rows.length).toBeGreaterThan(55)
    expect(rows.filter((cells) => cells.length !== 3)).toEqual([])
  })

  it.each(commandLines)('names a command and options that are there: %s', async (line) => {
    const shell = new Shell({ samples: false })
    const [, command = '', ...words] = line.replaceAll(/'[^']*'/g, 'X').split(' ')
    expect((await listedByHelp(shell)).commands).toContain(command)
    const { stdout } = await shell.run(`sess help ${command}`)
    const known = stdout.match(/(?<=^ {2}(?:-\w, )?)-(?:\w(?=, )|-[\w-]+)/gm) ?? []
    expect(known).toEqual(
      expect.arrayContaining(words.filter((word) => word.startsWith('-') && word !== '--json')),
    )
  })

  it.each(absences)('names no command and no function as missing that is there: %s', async (_, names) => {
    const { commands } = await listedByHelp(new Shell({ samples: false }))
    for (const name of names) {
      expect(commands).not.toContain(name.replace(/^sess /, '').split(' ')[0])
      for (const module of ['sess', ...FACADES.keys()]) expect(named(module, name)).toBeUndefined()
    }
  })

  it.each(functions)('names a function that is there: %s', (span) => {
    const [module = '', name = ''] = span.split(' ')
    expect(typeof named(module, name)).toBe('function')
  })
})
