import { isObject, type Json } from '../../model/json.ts'
import { HeadUnits } from './headunits.ts'
import type { Format, Sample } from './format.ts'
import { lines } from './jsonlines.ts'
import type { Splitter, Unit } from './splitter.ts'

const MOST_OBJECTS = 50

/** Makes a sample of a source's names, its first bytes and its size. What a line holds is salvaged as in reading. */
export function sampleOf(
  name: string,
  head: Uint8Array,
  size: number,
  folder = '',
  above: readonly string[] = [],
): Sample {
  const whole = head.length === size
  const beginning = new HeadUnits(lines, head, whole)
  const objects: Json[] = []
  for (const { value } of beginning.units()) {
    if (isObject(value)) objects.push(value)
    if (objects.length === MOST_OBJECTS) break
  }
  return { name, folder, above, head, lines: objects, whole, headUnits: beginning }
}

/** Returns the units with which a source begins, as a format splits it, in order and only as they are asked for. */
export const unitsIn = (
  { head, whole, headUnits: beginning }: Sample,
  { splitter }: Format,
): Iterable<Unit> => (beginning?.by(splitter) ?? new HeadUnits(splitter, head, whole)).units()

/** Returns a splitter for a source as a format splits it, which goes on behind what was split to know the source. */
export const splitterFor = (
  { splitter }: Format,
  { headUnits: beginning }: Pick<Sample, 'headUnits'>,
): Splitter => beginning?.by(splitter).take() ?? splitter()
