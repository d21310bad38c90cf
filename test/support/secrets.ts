/** Made up for tests, put together here so that no scanner takes them for real ones. */
const letters = (count: number, from = 0): string =>
  Array.from({ length: count }, (_, i) => 'aZ3kQ9xLm7RtB2vNc5YwP8dHs4Gf6JbE'[(i * 7 + from) % 32]).join('')

export const GITHUB = ['ghp', letters(36)].join('_')
export const OTHER_GITHUB = ['ghp', letters(36, 5)].join('_')
export const SHOPIFY = ['shpat', letters(32)].join('_')
export const ANTHROPIC = ['sk', 'ant', 'api03', `${letters(93)}AA`].join('-')
export const AWS = letters(40)
export const PEM = [
  '-----BEGIN RSA PRIVATE KEY-----',
  `MI${letters(62)}`,
  letters(64),
  '-----END RSA PRIVATE KEY-----',
].join('\n')
/** A key in PKCS #8, as `openssl genpkey -algorithm ed25519` writes it: one line. */
export const ED25519 = [
  '-----BEGIN PRIVATE KEY-----',
  `MC4CAQAwBQYDK2VwBCIEI${letters(43, 3)}`,
  '-----END PRIVATE KEY-----',
].join('\n')

/** The ways in which a text may be spelled without being recognised, by what they are called. */
export const SPELLED: Readonly<Record<string, (secret: string) => string>> = {
  'inside a word': (secret) => `A${secret}Z`,
  'in base64': (secret) => Buffer.from(`${secret} is it`).toString('base64'),
  'in base64, one byte on': (secret) => Buffer.from(`x${secret} is it`).toString('base64'),
  'in base64, two bytes on': (secret) => Buffer.from(`xy${secret}`).toString('base64'),
  'percent-encoded': (secret) => secret.replace(/[a-m_]/g, (c) => `%${c.charCodeAt(0).toString(16)}`),
  'with escapes in JSON': (secret) =>
    JSON.stringify(secret).replace(/[A-M]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`),
}
