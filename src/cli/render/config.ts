import type { Held } from '../config.ts'
import { styled } from '../style.ts'
import type { Line } from './line.ts'
import { firstLine, pad } from './text.ts'
import { widthOf } from './width.ts'

/** Returns settings as lines: name, value, and the source of a value that is not the default. */
export function configLines(settings: readonly Held[]): Line[] {
  const keys = Math.max(0, ...settings.map(({ key }) => key.length))
  const values = Math.max(0, ...settings.map(({ value }) => widthOf(firstLine(String(value)))))
  return settings.map((held) => {
    const usual = held.origin === 'default'
    return [
      pad(held.key, keys),
      '  ',
      styled(usual ? 'plain' : 'green', pad(firstLine(String(held.value)), values)),
      '  ',
      styled('dim', originOf(held)),
    ]
  })
}

/** Says in words where a setting comes from. */
export function originOf({ origin, from }: Held): string {
  if (origin === 'default') return 'default'
  return origin === 'environment' ? `environment: $${from}` : `${origin}: ${firstLine(from ?? '')}`
}
