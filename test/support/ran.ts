import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { script } from './built.ts'
import { newFolder } from './folder.ts'
import { answered, asked, claudeLines } from './transcripts.ts'

/** The result of a process that ran to its end. */
export interface Ran {
  /** The newest operation that it was told of as done. */
  readonly acknowledged: number
  /** The codes of errors that it met. */
  readonly failures: readonly string[]
  readonly signal: NodeJS.Signals | null
  readonly code: number | null
}

/** Returns a command's words that runs others with faults, or undefined where this machine has it not. */
export const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0

/** Has a process do one thing after the other to a store, behind some other command where one is named. */
export function ranSteps(build: string, dir: string, ...before: readonly string[]): Ran {
  const file = join(newFolder(), 'chat.jsonl')
  writeFileSync(file, claudeLines('chat', asked('a', null), answered('b', 'a')).join(''))
  const [program, ...words] = [...before, process.execPath, script('steps.mjs'), build, dir, file]
  const { stdout, status, signal } = spawnSync(program, words, { encoding: 'utf8', timeout: 120_000 })
  const lines = stdout.split('\n')
  return {
    acknowledged: Math.max(0, ...lines.map(Number).filter(Number.isSafeInteger)),
    failures: lines.flatMap((line) => (line.startsWith('failed ') ? [line.slice(7)] : [])),
    signal,
    code: status,
  }
}
