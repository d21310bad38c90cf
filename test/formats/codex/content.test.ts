import { expect, test } from 'vitest'
import { blocksOf } from '../../../src/formats/codex/view.ts'
import { imageBlock } from '../../../src/formats/core/views.ts'
import { Verbatim } from '../../../src/model/encoding/verbatim.ts'

test('a text, and each part that shows one', () => {
  expect(blocksOf('hi')).toEqual([{ kind: 'text', text: 'hi' }])
  const parts = [
    { type: 'output_text', text: 'a' },
    { type: 'refusal', refusal: 'b' },
    'c',
    { type: 'encrypted_content', encrypted_content: 'x' },
    { type: 'input_text', text: null },
    7,
    new Verbatim('{"type":"input_text","text":"d","text":"e"}'),
  ]
  expect(blocksOf(parts)).toEqual(['a', 'b', 'c', 'e'].map((text) => ({ kind: 'text', text })))
  expect(blocksOf(undefined)).toEqual([])
})

test('images: inline, by address, and none', () => {
  const image = (image_url: string | null | { url: string }) => blocksOf([{ type: 'input_image', image_url }])
  expect(image('data:image/jpeg;base64,AAECAw==')).toEqual([
    { kind: 'image', mediaType: 'image/jpeg', bytes: 4, data: 'AAECAw==' },
  ])
  expect(image({ url: 'https://example.invalid/a.png' })).toEqual([
    { kind: 'image', mediaType: 'image/*', bytes: 0, url: 'https://example.invalid/a.png' },
  ])
  expect(image(null)).toEqual([])
})

test('the size of an image is that of its bytes', () => {
  for (const size of [0, 1, 2, 3, 4, 100]) {
    const base64 = Buffer.from(new Uint8Array(size)).toString('base64')
    expect(imageBlock('image/png', base64)).toEqual({
      kind: 'image',
      mediaType: 'image/png',
      bytes: size,
      ...(size > 0 && { data: base64 }),
    })
  }
})

test('a call inside a message', () => {
  expect(blocksOf([{ type: 'tool_use', name: 'Read', input: { path: 'a' } }])).toEqual([
    { kind: 'toolCall', id: '', name: 'Read', input: { path: 'a' } },
  ])
})
