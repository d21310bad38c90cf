import type { Command } from 'commander'

/** The description of a longer line is printed below it. */
const BESIDE = 64

/** Adds examples to the help of a command: lines to type, each with what it does. */
export function examples(command: Command, lines: readonly (readonly [line: string, does: string])[]): void {
  const width = Math.max(...lines.map(([line]) => line.length))
  const shown = lines.map(([line, does]) =>
    width > BESIDE ? `  ${line}\n      ${does}` : `  ${line.padEnd(width)}  ${does}`,
  )
  command.addHelpText('after', `\nExamples:\n${shown.join('\n')}`)
}
