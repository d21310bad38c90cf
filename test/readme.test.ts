import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
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
  const parts = readme.split(/^(```console\n[^]*?^```\n)/m)
  expect(parts.length).toBeGreaterThan(10)
  const shown: string[] = []
  for (const part of parts) {
    if (!part.startsWith('```console')) {
      shown.push(part)
      continue
    }
    const blocks: string[] = []
    for (const [, line = ''] of part.matchAll(/^\$ (.*)$/gm))
      blocks.push(`$ ${line}\n${await outputOf(shell, line)}`)
    shown.push(`\`\`\`console\n${blocks.join('')}\`\`\`\n`)
  }
  await expect(shown.join('')).toMatchFileSnapshot('../README.md')
})
