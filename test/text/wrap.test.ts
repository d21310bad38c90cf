import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Line, lineText, styled, whole } from '../../src/text/text.ts'
import { widthOf } from '../../src/text/width.ts'
import { reflow, wrap } from '../../src/text/wrap.ts'
import { listedByHelp } from '../support/help.ts'
import { Shell } from '../support/shell.ts'

const shown = (line: Line, columns: number): string[] => wrap(line, columns).map(lineText)

it('breaks a line between words, and indents what follows', () => {
  expect(shown(['hint: type it again, or name another one'], 20)).toEqual([
    'hint: type it again,',
    '  or name another',
    '  one',
  ])
  expect(shown(['  a', styled('red', 'b'), 'c defg hij'], 10)).toEqual(['  abc defg', '    hij'])
  expect(shown(['fits'], 4)).toEqual(['fits'])
  // Blanks of two pieces belong together.
  expect(shown(['  ', styled('green', '  + one two three')], 12)).toEqual([
    '    + one',
    '      two',
    '      three',
  ])
  expect(shown(['name  ', '  cell cell'], 12)).toEqual(['name    cell', '  cell'])
})

it('breaks no command to copy', () => {
  expect(shown(['go back with: sess switch --session 3b1f main'], 20)).toEqual([
    'go back with:',
    '  sess switch --session 3b1f main',
  ])
  expect(shown(["hint: type 'sess help append' to see it"], 20)).toEqual([
    'hint: type',
    "  'sess help append'",
    '  to see it',
  ])
  expect(shown([whole('cd somewhere && claude --resume x')], 20)).toEqual([
    'cd somewhere && claude --resume x',
  ])
})

it('loses no character and no look, and is never wider than the terminal', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '漢', 'é', '-'), maxLength: 60 })
  const piece = fc.oneof(
    text,
    text.map((one) => styled('cyan', one)),
  )
  fc.assert(
    fc.property(
      fc.array(piece, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 10, max: 40 }),
      (line, columns) => {
        const lines = shown(line, columns)
        for (const one of lines) expect(widthOf(one)).toBeLessThanOrEqual(columns)
        const bare = (all: readonly string[]): string => all.join('').replaceAll(' ', '')
        expect(bare(lines)).toBe(bare([lineText(line)]))
      },
    ),
  )
})

it('fills paragraphs, and keeps the columns of lists', () => {
  expect(
    reflow(
      'One line that is\nbroken early.\nList:\n  -x    does this and that\n  sess log --everywhere  all of it',
      24,
    ),
  ).toBe(
    [
      'One line that is broken',
      'early. List:',
      '  -x    does this and',
      '        that',
      '  sess log --everywhere',
      '      all of it',
    ].join('\n'),
  )
})

it('help is no wider than the terminal, but for commands to copy', async () => {
  const shell = new Shell({ samples: false })
  const { commands, topics } = await listedByHelp(shell)
  const wide: string[] = []
  for (const topic of ['', ...commands, ...topics, 'op restore']) {
    const { stdout } = await shell.run(`sess --no-pager help ${topic}`, { terminal: true, columns: 60 })
    const lines = stdout.split('\n').filter((line) => widthOf(line) > 60)
    wide.push(
      ...lines.filter((line) => !/^ +.*\bsess |^ +eval /.test(line)).map((line) => `${topic}: ${line}`),
    )
  }
  expect(wide).toEqual([])
})

it('messages are no wider than the terminal', async () => {
  const shell = new Shell()
  const terminal = { terminal: true, columns: 50, variables: { SESS_PAGER: 'off' } }
  await shell.run('sess import sessions')
  const lines: string[] = []
  for (const line of [
    'import --agent cluade',
    'log nothing',
    'branch 3b1f try 3b1f~4',
    'switch 3b1f~2 --session 3b1f',
    'rm c7d0',
    'fsck',
    'stats',
    'formats',
    'config',
    'show 3b1f',
    'diff 3b1f 019d4e07',
    'compare 3b1f 019d4e07',
    'branch 3b1f -v',
    'ls',
    'tree 3b1f',
    'search table',
    'context 3b1f',
    'op log',
    'reflog 3b1f',
  ]) {
    const { output } = await shell.run(`sess ${line}`, terminal)
    // oxlint-disable-next-line no-control-regex -- colours
    for (const one of output.replaceAll(/\x1b\[[\d;]*m/g, '').split('\n'))
      if (widthOf(one) > 50 && !/sess |\S{46}/.test(one)) lines.push(`${line}: ${one}`)
  }
  expect(lines).toEqual([])
})
