import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Listed } from '../../src/ops/list.ts'
import { isKnownKey, parseCondition } from '../../src/ops/listcondition.ts'

const session = (about: Partial<Listed>): Listed =>
  ({ set: {}, folders: [], git: null, pullRequests: [], ...about }) as unknown as Listed
const holds = (text: string, about: Partial<Listed>): boolean => parseCondition(text)(session(about))

describe('a condition', () => {
  it('compares what a session is', () => {
    const about = { id: 'a', title: 'Tea = good', format: 'pi', cwd: null, model: 'm' }
    expect(
      ['id=a', 'title=Tea = good', 'agent=pi', 'cwd=', 'model!=n', 'id'].filter(
        (text) => !holds(text, about),
      ),
    ).toEqual([])
    expect(['id=b', 'agent!=pi', 'cwd', 'cwd!=', 'model=M'].filter((text) => holds(text, about))).toEqual([])
  })

  it('asks for branches besides the current one, and for labels', () => {
    const about = {
      head: 'main',
      branches: { main: 'a', other: 'b' },
      labels: { good: 'a' },
    } as unknown as Partial<Listed>
    const of = (...texts: readonly string[]) => texts.map((text) => holds(text, about))
    expect(of('branch', 'branch=other', 'branch=main', 'label', 'label=good', 'label=bad')).toEqual([
      ...[true, true, false, true, true, false],
    ])
    expect(holds('branch', { head: 'main', branches: { main: 'a' } } as unknown as Partial<Listed>)).toBe(
      false,
    )
    expect(holds('label', { labels: {} })).toBe(false)
  })

  it('compares every folder, git branch, commit, repository and pull request', () => {
    const git = {
      ...{ branch: 'fix', commit: 'b2b2b2b2', repository: 'git@github.com:ada/lamp.git' },
      ...{ branches: ['main', 'fix'], commits: ['a1a1a1a1', 'b2b2b2b2'] },
      repositories: ['git@github.com:ada/lamp.git'],
    }
    const about = { folders: ['/lamp', '/tree'], git, pullRequests: ['https://github.com/ada/lamp/pull/42'] }
    const of = (...texts: readonly string[]) => texts.map((text) => holds(text, about))
    expect(of('cwd=/lamp', 'cwd=/tree', 'cwd=/', 'cwd!=/tree', 'cwd')).toEqual([
      true,
      true,
      false,
      false,
      true,
    ])
    expect(of('git-branch=main', 'git-branch=fix', 'git-branch=ma', 'git-branch!=main')).toEqual([
      ...[true, true, false, false],
    ])
    expect(of('git-commit=a1a1', 'commit=b2b2b2b2', 'commit=c3c3', 'commit!=a1a1')).toEqual([
      ...[true, true, false, false],
    ])
    expect(of('git-repository=ada/lamp', 'repository=ada/moon')).toEqual([true, false])
    expect(of('pull-request=42', 'pr=ada/lamp#42', 'pr=4', 'pr')).toEqual([true, true, false, true])
    expect(['git-branch', 'pr', 'commit!=', 'git-branch!='].filter((text) => holds(text, {}))).toEqual([])
    expect(['git-branch=', 'pr=', 'commit!=a1', 'cwd='].filter((text) => !holds(text, {}))).toEqual([])
  })

  it('takes a key that nobody set for one without a value, whatever it is called', () => {
    for (const key of ['status', 'toString', 'constructor', '__proto__'])
      expect([key, holds(`${key}=`, {}), holds(key, {}), holds(`${key}!=x`, {})]).toEqual([
        key,
        true,
        false,
        true,
      ])
  })

  it('holds for what was set and for nothing else', () => {
    const key = fc
      .string({ minLength: 1 })
      .filter((text) => !/[=!]/.test(text) && text.trim() === text && !isKnownKey(text))
    fc.assert(
      fc.property(key, fc.string({ minLength: 1 }), fc.string(), (name, value, other) => {
        const set = Object.fromEntries([[name, value]])
        expect(holds(`${name}=${value}`, { set })).toBe(true)
        expect(holds(name, { set })).toBe(true)
        expect(holds(`${name}=${other}`, { set })).toBe(other === value)
        expect(holds(`${name}!=${other}`, { set })).toBe(other !== value)
      }),
    )
  })
})
