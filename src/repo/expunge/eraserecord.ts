import { BlobRef } from '../../model/encoding/canonical.ts'
import { envelopeWith } from '../../model/envelope.ts'
import type { NewRecord } from '../../model/record.ts'
import { blanked, changed, type Eraser } from '../../model/secrets/expunged.ts'
import type { Stored, StoredContent } from '../../storage/levelbackend/storedrecord.ts'

/** The content of a record, stored or to be stored. */
type EditedContent = StoredContent | NewRecord['content']

const utf8 = new TextEncoder()

/**
 * Returns the content of a record without secrets. With `isBodyChanged` the body of its entry, or a blob of it, changes
 * too: then the recorded spelling of single strings is dropped, because it describes the old text.
 */
export function eraseSecrets(content: EditedContent, eraser: Eraser, isBodyChanged = false): EditedContent {
  if ('raw' in content) {
    const raw = content.raw.map((chunk) => (chunk instanceof BlobRef ? chunk : eraser.bytes(chunk)))
    return raw.every((chunk, i) => chunk === content.raw[i]) ? content : { raw }
  }
  const { shape, values } = envelopeWith<Stored>(content, (value) => changed(value, eraser.text), eraser.text)
  if (!isBodyChanged && shape === content.shape && values === content.values) return content
  return { shape, values, spelling: layoutOf(content.spelling) }
}

/** Returns the content of a record with all of its text replaced; the structure of the message stays. */
export function eraseText(content: EditedContent, replacement: string): EditedContent {
  if ('raw' in content) return { raw: [utf8.encode(JSON.stringify(replacement))] }
  const { shape, values } = envelopeWith<Stored>(content, (value, key) =>
    value instanceof BlobRef
      ? replacement
      : ((blanked({ [key]: value }, replacement) as Record<string, Stored>)[key] ?? null),
  )
  return { shape, values, spelling: layoutOf(content.spelling) }
}

/** Returns the layout in a spelling, without the spelling of single strings. */
const layoutOf = (spelling: string): string => spelling.replace(/#.*$/s, '')
