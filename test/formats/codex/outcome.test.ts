import { expect, test } from 'vitest'
import { outcomeBlocks } from '../../../src/formats/codex/view.ts'
import { Verbatim } from '../../../src/model/encoding/verbatim.ts'
import type { Json } from '../../../src/model/json.ts'

const CHUNK = (code: number) =>
  `Chunk ID: 1a2b\nWall time: 0.1 seconds\nProcess exited with code ${code}\nOriginal token count: 9\nOutput:\nhi`

test.each<[string, Json | undefined, string, boolean]>([
  ['words', 'Plan updated', 'Plan updated', false],
  ['JSON with exit code 0', '{"output":"hi","metadata":{"exit_code":0,"duration_seconds":0.5}}', 'hi', false],
  ['JSON with exit code 1', '{"output":"no","metadata":{"exit_code":1,"duration_seconds":0.5}}', 'no', true],
  ['JSON without metadata', '{"output":"hi"}', 'hi', false],
  ['JSON of another shape', '{"files":[]}', '{"files":[]}', false],
  ['JSON that does not parse', '{"output":', '{"output":', false],
  [
    'an exit code',
    'Exit code: 0\nWall time: 1 seconds\nOutput:\nhi',
    'Exit code: 0\nWall time: 1 seconds\nOutput:\nhi',
    false,
  ],
  ['a failing exit code', 'Exit code: 2\nOutput:\nhi', 'Exit code: 2\nOutput:\nhi', true],
  ['a chunk', CHUNK(0), CHUNK(0), false],
  ['a failing chunk', CHUNK(-1), CHUNK(-1), true],
  [
    'a code in what was printed',
    'Wall time: 1\nOutput:\nExit code: 1',
    'Wall time: 1\nOutput:\nExit code: 1',
    false,
  ],
  ['a code in other words', 'It said:\nExit code: 1', 'It said:\nExit code: 1', false],
  ['a refusal', 'exec command rejected by user', 'exec command rejected by user', true],
  ['an abort', 'aborted', 'aborted', true],
  ['words about an abort', 'aborted landing', 'aborted landing', false],
  ['content and success', { content: 'hi', success: true }, 'hi', false],
  ['content and no success', { content: 'no', success: false }, 'no', true],
  [
    'content in parts',
    {
      content: [
        { type: 'input_text', text: 'a' },
        { type: 'input_text', text: 'b' },
      ],
    },
    'a\nb',
    false,
  ],
  ['one part', { type: 'input_text', text: 'a', image_url: null }, 'a', false],
  ['parts', [{ type: 'input_text', text: 'a' }, 'b'], 'a\nb', false],
  ['an object', { stdout: 'x' }, '{"stdout":"x"}', false],
  ['a number', 7, '7', false],
  ['nothing', undefined, '', false],
  ['an object kept as text', new Verbatim('{"success":false,"content":"a","content":"b"}'), 'b', true],
])('%s', (_, output, text, error) => {
  expect(outcomeBlocks('c', output)).toEqual([{ kind: 'toolResult', id: 'c', text, error }])
})

test('images follow the result', () => {
  const output = [
    { type: 'input_text', text: 'a' },
    { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
  ]
  expect(outcomeBlocks('c', output)).toEqual([
    { kind: 'toolResult', id: 'c', text: 'a', error: false },
    { kind: 'image', mediaType: 'image/png', bytes: 3, data: 'AAAA' },
  ])
})
