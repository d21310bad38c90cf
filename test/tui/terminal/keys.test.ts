import { describe, expect, it } from 'vitest'
import { KeyParser, type PressedKey, typedBy } from '../../../src/tui/terminal/keys.ts'

const read = (...chunks: readonly string[]): PressedKey[] => {
  const parser = new KeyParser()
  return chunks.flatMap((chunk) => parser.read(chunk))
}

const names = (...chunks: readonly string[]): string[] =>
  read(...chunks).map((key) => ('name' in key ? key.name : `paste ${key.paste}`))

describe('keys', () => {
  it.each([
    ['j', ['j']],
    ['L', ['L']],
    ['jj\x1b[B', ['j', 'j', 'down']],
    ['\r\t\x7f ', ['enter', 'tab', 'backspace', 'space']],
    ['\x01\x1a', ['ctrl+a', 'ctrl+z']],
    ['\x1b[A\x1bOA', ['up', 'up']],
    ['\x1b[5~\x1b[6~\x1b[H\x1b[F', ['pageup', 'pagedown', 'home', 'end']],
    ['\x1b[1;5D\x1b[1;3C\x1b[1;2A', ['ctrl+left', 'alt+right', 'shift+up']],
    ['\x1b[Z', ['shift+tab']],
    ['\x1bo', ['alt+o']],
    ['é漢👍', ['é', '漢', '👍']],
  ])('are split in a chunk: %j', (chunk, expected) => {
    expect(names(chunk)).toEqual(expected)
  })

  it('are put together from several chunks', () => {
    expect(names('\x1b', '[', '1;5', 'D', 'x')).toEqual(['ctrl+left', 'x'])
  })

  it('that nothing completes are an escape once the delay is over', () => {
    const parser = new KeyParser()
    expect(parser.read('\x1b')).toEqual([])
    expect(parser.isPending).toBe(true)
    expect(parser.flush()).toEqual([{ name: 'escape' }])
    expect(parser.isPending).toBe(false)
  })

  it('after an escape that was pressed twice are an escape and what follows', () => {
    expect(names('\x1b\x1b[A')).toEqual(['escape', 'up'])
  })

  it('leave out reports of the terminal', () => {
    expect(names('\x1b[I\x1b[<0;1;1Mq')).toEqual(['q'])
  })

  it('of a paste are one text, across chunks, also with escapes in it', () => {
    expect(names('\x1b[200~rm -rf', ' /\r\x1b[A', '\x1b[201~j')).toEqual(['paste rm -rf /\r\x1b[A', 'j'])
  })

  it('type text only where they are characters', () => {
    expect(read('a é\x1b[A\x01').map(typedBy)).toEqual(['a', ' ', 'é', undefined, undefined])
    expect(typedBy({ paste: 'two\nlines' })).toBe('two lines')
  })
})
