import type { World } from './world.ts'

/** Reads a secret from standard input: all of it but the last newline. */
export async function secretFrom({ stdin }: World): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of stdin) pieces.push(piece)
  return Buffer.concat(pieces)
    .toString('utf8')
    .replace(/\r?\n$/, '')
}
