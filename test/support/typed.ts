import type { Shell } from './shell.ts'

/**
 * Types lines one after the other and gives their transcripts, in which ids of operations are masked: they depend on
 * the folder of the shell.
 */
export async function typed(shell: Shell, ...lines: readonly string[]): Promise<string> {
  const all: string[] = []
  for (const line of lines) all.push(await shell.type(line))
  return all
    .join('')
    .replaceAll(/"id":"[0-9a-f]{32}"|\bid [0-9a-f]{32}/g, (id) => id.replace(/[0-9a-f]{32}/, '<id>'))
    .replaceAll(/^( *\d+  )[0-9a-f]{8}(?=  )/gm, '$1<id>')
}
