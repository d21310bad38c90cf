import { expect, it } from 'vitest'
import { droidSettings } from '../../../src/formats/droid.ts'
import { detectFormat } from '../../../src/formats/registry.ts'
import { readText, takes } from '../read.ts'

const settings = '{"assistantActiveTimeMs":27913,"model":"m","tokenUsage":{"inputTokens":6743}}\n'

it('knows the settings of Droid by name and content', () => {
  expect(takes(droidSettings, 's.settings.json', settings)).toBe(true)
  expect(takes(droidSettings, 's.json', settings)).toBe(false)
  expect(takes(droidSettings, 's.settings.json', '{}')).toBe(false)
  const head = new TextEncoder().encode(settings)
  expect(detectFormat({ name: 's.settings.json', head, lines: [], whole: true }).name).toBe('droid-settings')
})

it('keeps the sidecar file of a session, which has no entries', () => {
  const { readings, reader } = readText(droidSettings, settings, 's.settings.json')
  expect([readings, reader.active(), reader.facts()]).toEqual([[{}], null, {}])
  expect(droidSettings.view('record', {})).toEqual({ role: null, blocks: [] })
})
