import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SessError } from '../model/errors.ts'
import type { Repo } from '../repo/repo.ts'
import { writeError } from '../sources/writeerror.ts'
import type { Call } from './call.ts'
import { splitWords } from './shellwords.ts'

/**
 * Opens a text in the editor that VISUAL or EDITOR names, in a private file in the folder of the store. Throws
 * `no-editor`.
 */
export async function edited({ world }: Call, repo: Repo, text: string): Promise<string> {
  const { variables, env } = world
  const editor = variables.VISUAL || variables.EDITOR
  if (!editor) throw new SessError('no-editor', '$EDITOR', { detail: 'it is not set' })
  const path = join(repo.dir, `sess-plan-${Buffer.from(env.random(8)).toString('hex')}.txt`)
  try {
    await writeFile(path, text, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    throw writeError(path, error)
  }
  try {
    const code = await world.edit([...(splitWords(editor) ?? [editor]), path], variables)
    if (code !== 0)
      throw new SessError('no-editor', editor, {
        detail: code === undefined ? 'it could not be started' : `it ended with ${code}`,
      })
    return await readFile(path, 'utf8')
  } finally {
    await rm(path, { force: true })
  }
}
