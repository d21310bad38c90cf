/** The headers of every answer: a page shows transcripts, which may hold anything. */
export const STRICT_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
}

/** Adds them to an answer, which is kept nowhere unless it says so itself. */
export function addStrictHeaders(headers: Headers): void {
  for (const [name, value] of Object.entries(STRICT_HEADERS)) headers.set(name, value)
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
}
