const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Gives bytes as a text that gives them back: as UTF-8, where they are none each as a character. */
export function textOfBytes(bytes: Uint8Array): { text: string; encoding: 'utf8' | 'latin1' } {
  try {
    return { text: strict.decode(bytes), encoding: 'utf8' }
  } catch {
    return { text: Buffer.from(bytes).toString('latin1'), encoding: 'latin1' }
  }
}
