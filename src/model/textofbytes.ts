const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Returns bytes as a text from which they can be restored: as UTF-8 or, if they are not valid, one character per byte.
 */
export function textOfBytes(bytes: Uint8Array): { text: string; encoding: 'utf8' | 'latin1' } {
  try {
    return { text: strict.decode(bytes), encoding: 'utf8' }
  } catch {
    return { text: Buffer.from(bytes).toString('latin1'), encoding: 'latin1' }
  }
}
