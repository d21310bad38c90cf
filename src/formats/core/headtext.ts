const utf8 = new TextDecoder()

const texts = new WeakMap<Uint8Array, string>()

/** Returns the first bytes of a source as text: decoded once, whatever formats look at it. */
export function headText(head: Uint8Array): string {
  const known = texts.get(head)
  if (known !== undefined) return known
  const text = utf8.decode(head)
  texts.set(head, text)
  return text
}
