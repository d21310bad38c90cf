import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SessError } from '../model/errors.ts'
import { writeError } from '../model/writeerror.ts'
import { splitWords } from '../text/shellwords.ts'
import type { Invocation } from './invocation.ts'

/** The editors that are tried on a terminal where the user names none, as git does. */
const USUAL = ['vi', 'nano']

/**
 * Opens a text in the editor that VISUAL or EDITOR names, or in vi or nano, in a private file in a folder that only the
 * user can read. Returns what the file holds then. Throws `no-editor`.
 */
export async function editText(call: Invocation, folder: string, text: string): Promise<string> {
  const { variables, env, edit: open } = call.platform
  const named = variables.VISUAL || variables.EDITOR
  const editors = named ? [named] : call.isInteractive && variables.TERM !== 'dumb' ? USUAL : []
  if (editors.length === 0) throw new SessError('no-editor', '$EDITOR', { detail: 'it is not set' })
  const path = join(folder, `sess-edit-${Buffer.from(env.random(8)).toString('hex')}.txt`)
  try {
    await writeFile(path, text, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    throw writeError(path, error)
  }
  try {
    for (const editor of editors) {
      const code = await open([...(splitWords(editor) ?? [editor]), path], variables)
      if (code === 0) return await readFile(path, 'utf8')
      if (code !== undefined) throw new SessError('no-editor', editor, { detail: `it ended with ${code}` })
    }
    throw new SessError('no-editor', editors.join("' and '"), { detail: 'it could not be started' })
  } finally {
    await rm(path, { force: true })
  }
}
