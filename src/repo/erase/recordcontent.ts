import { BlobRef } from '../../model/canonical.ts'
import { envelopeWith } from '../../model/envelope.ts'
import { blanked, changed, type Eraser } from '../../model/expunged.ts'
import type { NewRecord } from '../../model/record.ts'
import type { Content, Stored } from '../../storage/record.ts'

/** What a record holds, on its way into a log or in it. */
type Held = Content | NewRecord['content']

const utf8 = new TextEncoder()

/**
 * Gives what a record holds without some secrets. Where its entry's body, or a large text of it, changes likewise, `anew`
 * says so: how the value was spelled is then told of another text.
 */
export function eraseSecrets(content: Held, eraser: Eraser, anew = false): Held {
  if ('raw' in content) {
    const raw = content.raw.map((piece) => (piece instanceof BlobRef ? piece : eraser.bytes(piece)))
    return raw.every((piece, i) => piece === content.raw[i]) ? content : { raw }
  }
  const { shape, values } = envelopeWith<Stored>(content, (value) => changed(value, eraser.text), eraser.text)
  if (!anew && shape === content.shape && values === content.values) return content
  return { shape, values, spelling: layoutOf(content.spelling) }
}

/** Gives what a record holds with the frame of a message and nothing else. */
export function eraseText(content: Held, instead: string): Held {
  if ('raw' in content) return { raw: [utf8.encode(JSON.stringify(instead))] }
  const { shape, values } = envelopeWith<Stored>(content, (value, key) =>
    value instanceof BlobRef
      ? instead
      : ((blanked({ [key]: value }, instead) as Record<string, Stored>)[key] ?? null),
  )
  return { shape, values, spelling: layoutOf(content.spelling) }
}

/** Gives how a value is laid out, without what was spelled otherwise in one text. */
const layoutOf = (spelling: string): string => spelling.replace(/#.*$/s, '')
