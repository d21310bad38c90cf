import { describe, expect, it } from 'vitest'
import { styled } from '../../../src/text/text.ts'
import { paneSpan, Screen, type ScreenRow } from '../../../src/tui/terminal/screen.ts'
import { Emulator, WIDTH_TABLES } from '../../support/emulator.ts'

/** Text on whose width terminals disagree, or that fills two columns. */
const DOUBTFUL = [
  '👨‍👩‍👧‍👦 family',
  '👍🏽 skin',
  '🇯🇵🇩🇪 flags',
  'e\u0301\u0302 marks',
  '漢字かな',
  '한국어',
  'עברית',
  '☝️ selector',
]

const WIDTH = 41
const BORDER = 20

/** Returns a row of two panes with a border between them. */
const row = (left: string, right: string, reverse = false): ScreenRow => [
  paneSpan(0, BORDER, [left], reverse),
  paneSpan(BORDER, 1, [styled('dim', '│')]),
  paneSpan(BORDER + 1, WIDTH - BORDER - 2, [styled('blue', right)]),
  paneSpan(WIDTH - 1, 1, ['┃']),
]

describe('the screen', () => {
  it.each(WIDTH_TABLES)('keeps its borders in a terminal with width table %s', async (table) => {
    const emulator = new Emulator(WIDTH, DOUBTFUL.length, table)
    let bytes = '\x1b[?7l'
    const screen = new Screen((more) => (bytes += more), { colored: true })
    // Each frame has other text in each row.
    for (let turn = 0; turn < DOUBTFUL.length + 1; turn++) {
      bytes = turn === 0 ? bytes : ''
      screen.draw(
        DOUBTFUL.map((_, y) => {
          const text = turn === DOUBTFUL.length ? 'plain' : (DOUBTFUL[(y + turn) % DOUBTFUL.length] ?? '')
          return row(text.repeat(4), text.repeat(turn % 2 === 0 ? 1 : 6), y === turn)
        }),
      )
      await emulator.write(bytes)
      for (const y of DOUBTFUL.keys()) {
        expect(emulator.cell(BORDER, y)).toBe('│')
        expect(emulator.cell(WIDTH - 1, y)).toBe('┃')
      }
    }
  })

  it('shows each frame as it is', async () => {
    const emulator = new Emulator(WIDTH, 3)
    const screen = new Screen((bytes) => written.push(bytes), { colored: true })
    const written: string[] = []
    for (const frame of [
      [row('one', 'two'), row('three', 'four'), row('five', 'six')],
      [row('one', 'two'), row('3', 'four', true), row('five', 'six')],
      [row('', ''), row('three', 'four'), row('five', 'seven')],
    ]) {
      screen.draw(frame)
      await emulator.write(written.splice(0).join(''))
      expect(emulator.rows).toEqual(
        frame.map(([left, , right]) => {
          const texts = [left, right].map((one) => {
            const piece = one?.line[0] ?? ''
            return typeof piece === 'string' ? piece : piece.text
          })
          return `${(texts[0] ?? '').padEnd(BORDER)}│${(texts[1] ?? '').padEnd(WIDTH - BORDER - 2)}┃`
        }),
      )
      expect(emulator.isReverse(0, 1)).toBe(frame[1]?.[0]?.reverse === true)
    }
  })

  it('writes only spans that changed, in one synchronised write', () => {
    const written: string[] = []
    const screen = new Screen((bytes) => written.push(bytes), { colored: false })
    screen.draw([row('one', 'two'), row('three', 'four')])
    screen.draw([row('one', 'two'), row('three', '4')])
    screen.draw([row('one', 'two'), row('three', '4')])
    expect(written).toHaveLength(2)
    expect(written[1]).toBe(`\x1b[?2026h\x1b[2;${BORDER + 2}H4${' '.repeat(WIDTH - BORDER - 3)}\x1b[?2026l`)
  })

  it('erases nothing but cells of doubtful width', () => {
    let bytes = ''
    const screen = new Screen((more) => (bytes += more), { colored: true })
    screen.draw([row('plain', '漢字')])
    // oxlint-disable-next-line no-control-regex
    expect(bytes).not.toMatch(/\x1b\[\d*[JKX]/)
    screen.draw([row('plain', '👨‍👩‍👧‍👦')])
    expect(bytes).toContain(`\x1b[${WIDTH - BORDER - 2}X`)
  })

  it('shows escapes of a transcript as text', () => {
    let bytes = ''
    const screen = new Screen((more) => (bytes += more), { colored: false })
    screen.draw([[paneSpan(0, 40, ['a\x1b]0;title\x07\x1b[2Jb\nc'])]])
    expect(bytes).toContain('a\\x1b]0;title\\x07\\x1b[2Jb\\nc')
  })

  it('writes no colours where none are wanted, but shows the cursor', () => {
    let bytes = ''
    const screen = new Screen((more) => (bytes += more), { colored: false })
    screen.draw([row('one', 'two', true)])
    expect(bytes).not.toContain('\x1b[34m')
    expect(bytes).toContain('\x1b[7mone')
  })
})
