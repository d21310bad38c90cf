/** The names of the formats of JSON lines. */
export const TRANSCRIPTS: readonly string[]
/** The id of the session in each file. */
export const SESSION: string
export function transcriptName(format: string): string
export function shortMessages(count: number): Iterable<object>
export function transcript(format: string, conversation: Iterable<object>): Iterable<object>
export function writeTranscript(
  path: string,
  options: { readonly format: string; readonly bytes: number; readonly seed?: number },
): string
