import { openSync } from 'node:fs'
import { ReadStream, WriteStream } from 'node:tty'
import type { TerminalStreams } from './terminal.ts'

/**
 * Returns the streams of the terminal: standard input and output, or with `apart` those of the terminal itself, where
 * standard output goes elsewhere. Undefined where there is no terminal.
 */
export function openTerminal(apart: boolean): Pick<TerminalStreams, 'input' | 'output'> | undefined {
  const { stdin, stdout } = process
  if (stdin.isTTY && stdout.isTTY) return { input: stdin, output: stdout }
  if (!apart) return undefined
  try {
    return {
      input: new ReadStream(openSync('/dev/tty', 'r')),
      output: new WriteStream(openSync('/dev/tty', 'w')),
    }
  } catch {
    return undefined
  }
}
