import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { splitWords } from '../text/shellwords.ts'
import type { ServingInterface } from './interfaces.ts'
import type { Invocation } from './invocation.ts'

/** The program that opens an address in the user's browser. */
const OPENERS: { readonly [platform in NodeJS.Platform]?: readonly string[] } = {
  darwin: ['open'],
  win32: ['explorer'],
}

/**
 * Opens the page in the browser that BROWSER names, or in the usual one. The browser gets the path of a private file that
 * leads there: other users see the words of every program, and the address has the secret. Returns what removes the file.
 */
export function openPage(
  { platform, io }: Invocation,
  { url, token }: ServingInterface,
  store: string,
): () => void {
  const path = join(store, `serve-${process.pid}.html`)
  rmSync(path, { force: true })
  const leads = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${url}/#${token}">`
  writeFileSync(path, `${leads}\n`, { flag: 'wx', mode: 0o600 })
  const { variables } = platform
  const named = variables.BROWSER ? splitWords(variables.BROWSER) : undefined
  const words = named ?? OPENERS[process.platform] ?? ['xdg-open']
  const opened = platform.edit([...words, path], variables)
  opened
    .then((code) =>
      code === 0 ? undefined : io.note(`the browser could not be opened: open ${url}/#${token}`),
    )
    .catch(() => undefined)
  return () => rmSync(path, { force: true })
}
