import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { rerun } from './support/document.ts'
import { Shell } from './support/shell.ts'

/**
 * Runs a line of the tour: `sess …`, `echo TEXT | sess …`, `sess … | tail -n 1`, or `cmp A B && echo
 * identical`.
 */
async function outputOf(shell: Shell, line: string): Promise<string> {
  const compared = /^cmp (\S+) (\S+) && echo identical$/.exec(line)
  if (compared) {
    const [, a = '', b = ''] = compared
    return shell.read(a) === shell.read(b) ? 'identical\n' : `${a} ${b} differ\n`
  }
  const piped = /^echo '([^']*)' \| (.*)$/.exec(line)
  const [command = '', last] = (piped?.[2] ?? line).split(/( \| tail -n 1)$/)
  expect(command).toMatch(/^sess /)
  const { output } = await shell.run(command, piped ? { stdin: [`${piped[1]}\n`] } : {})
  return last === undefined ? output : output.replace(/^(?:.*\n)*(?=.)/, '')
}

it('shows what its commands print', async () => {
  const shell = new Shell()
  const readme = readFileSync(fileURLToPath(new URL('../README.md', import.meta.url)), 'utf8')
  expect(readme.match(/^```console$/gm)?.length).toBeGreaterThan(4)
  const shown = await rerun(readme, (line) => outputOf(shell, line))
  await expect(shown).toMatchFileSnapshot('../README.md')
})
