import { existsSync } from 'node:fs'

/** Returns a text quoted for a POSIX shell. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** The program that runs sess: Node, and the script of the command line. */
export interface Program {
  readonly node: string
  readonly script: string
}

/** Returns the program that this process runs. */
export const thisProgram = (): Program => ({ node: process.execPath, script: process.argv[1] ?? '' })

/** Returns whether both parts of a program are there. */
export const isThere = ({ node, script }: Program): boolean => existsSync(node) && existsSync(script)

/**
 * Returns the launcher: a script at a place of its own, so that what agents are told to run stays the same when sess or
 * Node is moved or replaced. A hook ends with 0 and prints nothing, also where neither is there any more.
 */
export const launcherText = ({ node, script }: Program, folder: string): string => `#!/bin/sh
# Written when agents were set up for sess, kept up to date by it, and removed when that is taken back.
node=${shellQuoted(node)}
sess=${shellQuoted(script)}
folder=${shellQuoted(folder)}
command="$1"
case "$command" in
hook)
  shift
  [ -x "$node" ] && [ -f "$sess" ] && "$node" "$sess" hook --folder "$folder" "$@" >/dev/null 2>&1
  exit 0
  ;;
statusline)
  shift
  exec "$node" "$sess" statusline --folder "$folder" "$@"
  ;;
esac
exec "$node" "$sess" "$@"
`
