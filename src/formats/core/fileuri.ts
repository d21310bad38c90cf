const DRIVE = /^\/[A-Za-z]:(?=\/|$)/

/** Returns the path that a `file:` URI names, of a drive as Windows writes it; any other text as it is. */
export function pathOfUri(text: string): string {
  if (!text.startsWith('file:///')) return text
  const path = decoded(text.slice('file://'.length))
  return DRIVE.test(path) ? path.slice(1).replaceAll('/', '\\') : path
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch (error) {
    // A percent sign that begins no escape: the path was never one of a URI.
    if (error instanceof URIError) return path
    throw error
  }
}
