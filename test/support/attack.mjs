/* global document, navigator */

/** Tries, in a page of another origin, all ways of a page to a server. Returns by name what came of each. */
export async function attack({ api, token, session }) {
  const tried = {}
  const attempt = async (name, work) => {
    tried[name] = await work().catch(() => 'refused')
  }
  const body = '{"label":"owned"}'
  const label = `${api}/api/sessions/${session}/label`
  await attempt('fetch', async () => (await fetch(`${api}/api/sessions`)).text())
  await attempt('fetch with the token', async () =>
    (await fetch(`${api}/api/sessions`, { headers: { authorization: `Bearer ${token}` } })).text(),
  )
  await attempt('fetch without cors', async () =>
    (await fetch(`${api}/api/sessions`, { mode: 'no-cors' })).text(),
  )
  await attempt('write without cors', async () =>
    (
      await fetch(label, {
        method: 'POST',
        mode: 'no-cors',
        headers: { 'content-type': 'text/plain' },
        body,
      })
    ).text(),
  )
  await attempt('write', async () =>
    (await fetch(label, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).text(),
  )
  await attempt('beacon', () => Promise.resolve(navigator.sendBeacon(label, body) ? '' : 'refused'))
  const element = (name, tag, attribute, path) =>
    attempt(
      name,
      () =>
        new Promise((resolve) => {
          const made = document.createElement(tag)
          made.addEventListener('load', () => resolve(`loaded ${name}`))
          made.addEventListener('error', () => resolve('refused'))
          made.setAttribute(attribute, api + path)
          if (tag === 'link') made.setAttribute('rel', 'stylesheet')
          document.body.append(made)
        }),
    )
  await element('image', 'img', 'src', '/api/sessions')
  await element('script', 'script', 'src', '/api/sessions')
  await element('style', 'link', 'href', '/api/sessions')
  await attempt(
    'event source',
    () =>
      new Promise((resolve) => {
        const source = new EventSource(`${api}/api/events`)
        source.addEventListener('message', () => resolve('heard'))
        source.addEventListener('error', () => resolve('refused'))
      }),
  )
  await attempt(
    'socket',
    () =>
      new Promise((resolve) => {
        const socket = new WebSocket(`${api.replace('http', 'ws')}/api/events`)
        socket.addEventListener('open', () => resolve('opened'))
        socket.addEventListener('error', () => resolve('refused'))
      }),
  )
  return tried
}
