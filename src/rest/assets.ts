import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}

/** A file of the page. */
export interface Asset {
  readonly type: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

const FALLBACK = `<!doctype html>
<meta charset="utf-8">
<title>sess</title>
<p>The page is not part of this installation. The API is below <code>/api</code>.</p>
`

/**
 * Reads the files of the page into memory, by the paths under which they are served. Read once, and by the names that the
 * folder lists: no path of a request reaches the file system.
 */
export function readAssets(folder: string): ReadonlyMap<string, Asset> {
  const assets = new Map<string, Asset>()
  for (const name of namesIn(folder)) {
    const type = TYPES[extname(name)]
    const path = join(folder, name)
    if (type === undefined || !lstatSync(path).isFile()) continue
    assets.set(`/${name.replaceAll('\\', '/')}`, { type, bytes: new Uint8Array(readFileSync(path)) })
  }
  const index = assets.get('/index.html')
  const fallback: Asset = { type: TYPES['.html'] as string, bytes: new TextEncoder().encode(FALLBACK) }
  return assets.set('/', index ?? fallback)
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
