import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

interface Lock {
  readonly packages: Readonly<Record<string, { engines?: { node?: string }; optional?: boolean }>>
}

const text = readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')
const { packages } = JSON.parse(text) as Lock

/** The oldest version of Node that sess supports. */
const [MAJOR, MINOR] = [20, 19]

/** Returns whether one alternative of a range, such as `^20.19.0` or `>= 18`, holds for the oldest version. */
function holds(alternative: string): boolean {
  const [, operator, major, minor = '0'] = /^(\^|>=|~)?\s*v?(\d+)(?:\.(\d+))?/.exec(alternative.trim()) ?? []
  if (major === undefined) return alternative.trim() === '*'
  const isSame = Number(major) === MAJOR && Number(minor) <= MINOR
  return isSame || (operator === '>=' && Number(major) < MAJOR)
}

it('installs without a warning about the version of Node', () => {
  expect([holds('>=22.19.0'), holds('^20.19.0'), holds('>= 18'), holds('20.20')]).toEqual([
    false,
    true,
    true,
    false,
  ])
  const refusing = Object.entries(packages).filter(
    ([, { engines, optional }]) =>
      !optional && engines?.node !== undefined && !engines.node.split('||').some(holds),
  )
  expect(refusing.map(([path]) => path)).toEqual([])
})
