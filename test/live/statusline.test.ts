import { spawnSync } from 'node:child_process'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { keepSaved } from '../../src/live/saved.ts'
import { statusLine } from '../../src/live/statusline.ts'
import { built, script } from '../support/built.ts'
import { newFolder } from '../support/folder.ts'

/** A session of which some bytes are saved, and what Claude Code tells of it. */
function saved(title: string | null = 'Tides'): { folder: string; path: string; told: string } {
  const folder = newFolder()
  const path = join(folder, 's.jsonl')
  writeFileSync(path, 'x'.repeat(100))
  const state = {
    path,
    size: 100,
    mtime: 1,
    store: '/s',
    session: '3b1f9c40-1',
    title,
    branch: 'main',
    time: 1,
  }
  keepSaved(folder, state)
  const told = JSON.stringify({
    session_id: '3b1f9c40-1',
    transcript_path: path,
    cost: { total_cost_usd: 0.425 },
    context_window: { total_input_tokens: 12_000, total_output_tokens: 345 },
  })
  return { folder, path, told }
}

describe('a statusline', () => {
  it('shows title, branch, tokens and cost, and that the store has everything', () => {
    const { folder, told } = saved()
    expect(statusLine(told, folder)).toBe('Tides · main · 12k tokens · $0.42 · live')
  })

  it('shows how much the store lacks', () => {
    const { folder, path, told } = saved()
    appendFileSync(path, 'x'.repeat(2500))
    expect(statusLine(told, folder)).toMatch(/ · 2.5kB unsaved$/)
  })

  it('shows a session that was never saved by its id', () => {
    expect(statusLine('{"session_id":"3b1f9c40-1","transcript_path":"/nowhere"}', newFolder())).toBe(
      '3b1f9c40 · unsaved',
    )
  })

  it.each(['', '{', '[]', 'null', '{"cost":{"total_cost_usd":"x"},"context_window":7}'])(
    'survives %j',
    (told) => {
      expect(statusLine(told, newFolder())).toBe('unsaved')
    },
  )

  it('lets no title steer the terminal, or fill it', () => {
    const { folder, told } = saved(`\u001b]0;x\u0007a\nb\u202e${'c'.repeat(100)}`)
    const line = statusLine(told, folder)
    expect(line).toMatch(/^\]0;x a b c{20,}… · main/)
    expect(line).toMatch(/^[\p{L}\p{N}\p{P}\p{S} ]*$/u)
  })
})

describe('a statusline that Claude Code calls', () => {
  const run = (folder: string, told: string, ...words: readonly string[]) => {
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      [script('hook.mjs'), built(), 'statusline', '--folder', folder, ...words],
      { input: told, encoding: 'utf8' },
    )
    return { stdout, stderr, status }
  }

  it('prints the line', () => {
    const { folder, told } = saved()
    expect(run(folder, told)).toEqual({
      stdout: 'Tides · main · 12k tokens · $0.42 · live\n',
      stderr: '',
      status: 0,
    })
  })

  it('prints the rows of the user’s own one first, which gets the same input', () => {
    const { folder, told } = saved()
    expect(run(folder, told, '--then', `printf 'own: '; wc -c; echo second`).stdout).toBe(
      `own: ${told.length}\nsecond\nTides · main · 12k tokens · $0.42 · live\n`,
    )
    expect(run(folder, told, '--then', 'echo broken; exit 1').stdout).toBe(
      'Tides · main · 12k tokens · $0.42 · live\n',
    )
  })
})
