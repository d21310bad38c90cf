import { join } from 'node:path'
import type { Variables } from '../model/variables.ts'
import { isSettling, LIVE, namesOf, putFile, readAll } from './livefolder.ts'
import { noteOf } from './note.ts'
import { noteRun } from './runnotes.ts'

/** The process that a hook runs in, and the agent that called it. */
export interface HookCall {
  /** The name of the agent's format. */
  readonly agent: string
  /** The folder of what is set up for the user. */
  readonly folder: string
  /** The words of the agent, where they came on the command line; standard input is read without them. */
  readonly told?: string | undefined
  readonly variables: Variables
  /** The program and the words that start the settler; without any none is started. */
  readonly settler: readonly string[]
}

/** The most bytes that are read of what an agent tells: its answer may be among them. */
const MAX_TOLD = 16 << 20

/** The value of `SESS_HOOKS` with which hooks do nothing: for agents that sess starts to make summaries. */
const OFF = 'off'

/**
 * Notes that an agent wrote, and starts a settler unless one runs. The agent waits for this: it opens no store, prints
 * nothing, and throws nothing, whatever is broken. A note that is missed costs time alone: the next import finds the same.
 */
export function runHook({ agent, folder, told, variables, settler }: HookCall): void {
  if (variables.SESS_HOOKS === OFF) return
  try {
    const text = told ?? readAll(0, MAX_TOLD)
    const now = Date.now()
    const note = noteOf(agent, text, { cwd: process.cwd(), store: variables.SESS_STORE, time: now })
    noteRun(folder, variables, note)
    putFile(join(folder, LIVE.spool), `${now}-${process.pid}.json`, JSON.stringify(note))
    if (settler.length > 0 && !isSettling(folder, now)) startDetached(settler, folder)
  } catch {
    // A full disk, a folder of another user, no process left: nobody who waits here can do anything about it.
  }
}

/** Starts a program that outlives this one and its group, with nothing that the agent could wait for. */
export function startDetached([program = '', ...words]: readonly string[], folder: string): void {
  const { spawn } = process.getBuiltinModule('node:child_process')
  spawn(program, words, { cwd: folder, detached: true, stdio: 'ignore', windowsHide: true })
    .on('error', () => undefined)
    .unref()
}

/** Returns the number of notes that are not settled. */
export const waitingNotes = (folder: string): number => namesOf(join(folder, LIVE.spool)).length
