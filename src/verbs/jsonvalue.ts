import { parseJson } from '../model/value.ts'
import type { Value } from './values.ts'

/** JSON of a shape, which is typed as its text. */
export const json = <T>(
  name: string,
  how: Required<Pick<Value<T>, 'takes' | 'schema' | 'take'>>,
): Value<T> => ({
  name,
  ...how,
  read: (typed) => {
    const parsed = parseJson(typed)
    return parsed && how.take(parsed.value)
  },
})
