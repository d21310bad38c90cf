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
