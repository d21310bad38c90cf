import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Json, jsonText } from '../../../src/model/json.ts'
import { joinedTexts, masked, textsIn, withTexts } from '../../../src/model/secrets/secret.ts'
import { parseJson } from '../../../src/model/value.ts'

const parsed = (text: string): Json => parseJson(text)?.value ?? null

const value = parsed(
  JSON.stringify({
    content: [
      { type: 'thinking', thinking: 'hm', signature: 'hm' },
      { type: 'redacted_thinking', data: 'hm' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'hm' } },
      { type: 'image', mimeType: 'image/png', data: 'hm' },
      { type: 'input_image', image_url: 'data:image/png;base64,hm' },
      { type: 'reasoning', encrypted_content: 'hm', summary: ['hm'] },
      { type: 'toolCall', thoughtSignature: 'hm', input: { hm: 'hm', data: 'hm' } },
    ],
  }),
)

/** Values that are kept verbatim are reported as their JSON. */
const isJson = (text: string): boolean => /^[[{"\d-]/.test(text)

describe('texts of a value', () => {
  it('are told with their places, but for signatures, encrypted thoughts and images', () => {
    expect([...textsIn(value)].filter(([, text]) => text === 'hm').map(([field]) => field)).toEqual([
      'content[0].thinking',
      'content[5].summary[0]',
      'content[6].input',
      'content[6].input.hm',
      'content[6].input.data',
    ])
  })

  it('are changed at these places alone, keys too', () => {
    const changed = jsonText(withTexts(value, (text) => (text === 'hm' ? '-' : text)))
    expect(changed).toBe(
      jsonText(value)
        .replace('"thinking":"hm"', '"thinking":"-"')
        .replace('"summary":["hm"]', '"summary":["-"]')
        .replace('{"hm":"hm","data":"hm"}', '{"-":"-","data":"-"}'),
    )
  })

  it('are joined so that none runs into the next', () => {
    expect(joinedTexts({ a: 'x', b: ['y'] })).toBe('a\n\0\nx\n\0\nb\n\0\ny')
  })

  it('leave the very same value where nothing changes', () => {
    expect(withTexts(value, (text) => text)).toBe(value)
  })

  it('keep the shape of any value', () => {
    const shape = (text: string): string => text.replace(/"(?:[^"\\]|\\.)*"/g, '""')
    fc.assert(
      fc.property(fc.json(), (json) => {
        const changed = jsonText(withTexts(parsed(json), (text) => (isJson(text) ? text : `${text}!`)))
        expect(shape(jsonText(parsed(changed)))).toBe(shape(jsonText(parsed(json))))
      }),
    )
  })

  it('kept verbatim stay JSON', () => {
    const odd = parsed('{"a":{"__proto__":"tell","b":1e400}}')
    expect(jsonText(withTexts(odd, (text) => text.replace('tell', '-')))).toBe(
      '{"a":{"__proto__":"-","b":1e400}}',
    )
    expect(jsonText(withTexts(odd, (text) => text.replace('"tell"', '-')))).toMatch(/^\{"a":"/)
  })
})

it('masks all but what says of which kind a secret is', () => {
  expect(masked('ghp_abcdefghijklmnop')).toBe('ghp_… (20 characters)')
  expect(masked('hunter2')).toBe('… (7 characters)')
})
