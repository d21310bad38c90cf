import { SessError } from '../model/errors.ts'
import type { Command } from './define.ts'
import type { Invocation } from './invocation.ts'
import { typed } from './shellwords.ts'

/**
 * Runs a command that may write to the current session. Where that is merely the newest session of the folder, asks on
 * a terminal, and runs the command again with the session that was confirmed.
 */
export async function withConfirmedSession<T>(call: Invocation, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof SessError) || error.code !== 'unnamed-session') throw error
    const [id = ''] = error.candidates ?? []
    const hint = `name the session, or make it current: sess switch ${typed(id)}`
    if (!call.isInteractive) throw error.with({ hint })
    await confirmed(call, `no session was named. Use ${id}, the newest one of this folder?`)
    call.opened?.makeCurrent(id)
    return run()
  }
}

/** Asks whether to run what cannot be undone. Throws `bad-usage` where there is no terminal to ask on. */
export async function confirmDestructive(
  call: Invocation,
  { name, unattended = false }: Command,
): Promise<void> {
  if (call.isInteractive) await confirmed(call, `sess ${name} cannot be undone. Continue?`)
  else if (!unattended)
    throw new SessError('bad-usage', `'${name}' cannot be undone, and there is no terminal to ask on`, {
      hint: `add --yes to run it; 'sess ${name} -n' shows what it would do`,
    })
}

/** Asks a question on the terminal. Throws `stopped` unless the answer is yes. */
async function confirmed(call: Invocation, question: string): Promise<void> {
  const answer = await call.ask(`${question} [y/N]`)
  if (!/^y(?:es)?$/i.test(answer)) throw new SessError('stopped', 'nothing was changed')
}
