import { readFileSync, writeFileSync } from 'node:fs'
import type { Outcome, Shell } from './shell.ts'

/** Splits a line at a word that stands outside quotes. */
const splitAt = (line: string, word: string): string[] =>
  line
    .split(/('[^']*'|"[^"]*")/)
    .reduce<string[]>(
      (parts, piece, i) => {
        const [first = '', ...more] = i % 2 === 0 ? piece.split(` ${word} `) : [piece]
        return [...parts.slice(0, -1), (parts.at(-1) ?? '') + first, ...more]
      },
      [''],
    )
    .map((part) => part.trim())

const NOTHING: Outcome = { code: 0, stdout: '', stderr: '', output: '', transcript: '' }

const printing = (stdout: string): Outcome => ({ ...NOTHING, stdout, output: stdout })

/**
 * Runs a line as a shell does that knows `echo 'TEXT'`, `cat FILE`, `cmp A B && echo TEXT`, `tail -n 1`, `sess …`, pipes,
 * `< FILE`, `> FILE` and a `~` for its own folder, and gives what came of its last command; what `eval` and `source` would run is
 * not. Throws for anything else.
 */
export async function runPipeline(shell: Shell, line: string): Promise<Outcome> {
  const compared = /^cmp (\S+) (\S+) && echo (\w+)$/.exec(line)
  if (compared) {
    const [, a = '', b = '', text] = compared
    return printing(shell.read(a) === shell.read(b) ? `${text}\n` : `${a} ${b} differ\n`)
  }
  const substituted = /^eval "\$\((.*)\)"$/.exec(line)?.[1]
  const [pipeline = '', file] = splitAt(substituted ?? line, '>')
  let outcome = NOTHING
  for (const command of splitAt(pipeline, '|')) {
    const [program, ...words] = command.split(' ')
    if (program === 'sess') {
      const [typed = '', given] = splitAt(command, '<')
      const stdin = given === undefined ? outcome.stdout : readFileSync(shell.path(given), 'utf8')
      outcome = await shell.run(typed.replaceAll('~/', `${shell.dir}/`), { stdin: [stdin] })
      if (outcome.code !== 0) return outcome
    } else if (program === 'echo')
      outcome = { ...outcome, stdout: `${words.join(' ').replaceAll("'", '')}\n` }
    else if (command === 'tail -n 1') outcome = printing(outcome.output.replace(/^(?:.*\n)*(?=.)/, ''))
    else if (program === 'cat')
      outcome = { ...outcome, stdout: readFileSync(shell.path(words.join(' ')), 'utf8') }
    else if (program !== 'source') throw new Error(`'${program}' of '${line}' is not known here`)
  }
  if (file === undefined) return outcome
  writeFileSync(shell.path(file), outcome.stdout)
  return { ...outcome, stdout: '', output: outcome.stderr }
}
