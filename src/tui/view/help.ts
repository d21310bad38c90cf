import { type Line, styled } from '../../text/text.ts'
import { pad } from '../../text/width.ts'
import type { Keymap, KeyScope } from '../state/keymap.ts'
import { keyName } from './status.ts'

const SCOPES: Readonly<Record<KeyScope, string>> = {
  everywhere: 'In every pane',
  tree: 'In the tree',
  entry: 'On an entry',
}

/** The columns of the keys. */
const KEYS = 22

/** Returns all keys and what they do, by where they act. */
export function helpLines(keymap: Keymap): Line[] {
  const bindings = Object.values(keymap)
  return (Object.keys(SCOPES) as KeyScope[]).flatMap((scope): Line[] => {
    const own = bindings.filter((one) => one.scope === scope)
    if (own.length === 0) return []
    return [
      [styled('bold', SCOPES[scope])],
      ...own.map(
        ({ keys, does }): Line => ['  ', styled('cyan', pad(keys.map(keyName).join('  '), KEYS)), does],
      ),
      [],
    ]
  })
}
