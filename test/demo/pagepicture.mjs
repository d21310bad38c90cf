// Takes pictures of the web page on sample sessions: docs/web-light.png and docs/web-dark.png, by Debian's Chromium.
// node test/demo/pagepicture.mjs, after a build.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'

const bin = fileURLToPath(new URL('../../bin/sess.js', import.meta.url))
const sessions = fileURLToPath(new URL('sessions', import.meta.url))
const docs = fileURLToPath(new URL('../../docs/', import.meta.url))

/** The session with two attempts. */
const SESSION = '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14'
const SIZE = { width: 1180, height: 640 }

const temp = mkdtempSync(join(tmpdir(), 'sess-picture-'))
const env = { ...process.env, HOME: temp, TZ: 'UTC', SESS_STORE: join(temp, 'store') }
spawnSync(process.execPath, [bin, 'import', sessions, '--all'], { env, stdio: 'ignore' })
const server = spawn(process.execPath, [bin, 'serve', '--json'], {
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  const [line] = await once(server.stdout, 'data')
  const { url, token } = JSON.parse(line)
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args })
  for (const [colorScheme, address] of [
    ['light', `/s/${SESSION}`],
    ['dark', `/compare?r=${SESSION}%2Fmain&r=${SESSION}%2Fat-1d9fca05`],
  ]) {
    const page = await browser.newPage({ viewport: SIZE, colorScheme, timezoneId: 'UTC' })
    await page.goto(`${url}/#${token}`)
    await page.goto(`${url}/#${address}`)
    await page.waitForFunction(() => document.querySelectorAll('.loading, .bone').length === 0)
    await page.waitForTimeout(1500)
    await page.screenshot({ path: join(docs, `web-${colorScheme}.png`) })
    await page.close()
  }
  await browser.close()
} finally {
  server.kill('SIGTERM')
  await once(server, 'exit')
  rmSync(temp, { recursive: true, force: true })
}
