/** The clock and the randomness of which new ids are made. */
export interface IdSource {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly random: (bytes: number) => Uint8Array
}

/** Makes a UUID of version 7 (RFC 9562): the time in milliseconds, then 74 random bits. */
export function uuid7({ now, random }: IdSource): string {
  const bytes = new Uint8Array(16)
  bytes.set(random(16))
  let time = now()
  for (let i = 5; i >= 0; i--) {
    bytes[i] = time % 256
    time = Math.floor(time / 256)
  }
  bytes[6] = 0x70 | ((bytes[6] as number) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f)
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
