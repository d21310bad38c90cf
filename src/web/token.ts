const KEY = 'sess-token'
const CHANNEL = 'sess-token'
const WAIT_MS = 400

/** The token in the address that `sess serve` prints: all that follows the `#`. */
const IN_ADDRESS = /#([A-Za-z0-9_-]{40,})$/

/**
 * Returns the token of this server: from the address, which it is removed from at once, from this tab, or from another tab
 * of the same origin that has it. Undefined where nobody has one.
 */
export async function findToken(): Promise<string | undefined> {
  const given = IN_ADDRESS.exec(location.hash)?.[1]
  if (given !== undefined) {
    history.replaceState(history.state, '', '#/')
    sessionStorage.setItem(KEY, given)
  }
  const token = sessionStorage.getItem(KEY) ?? (await askTabs())
  if (token !== undefined) answerTabs(token)
  return token
}

/** Keeps a token that was typed. */
export function keepToken(token: string): void {
  sessionStorage.setItem(KEY, IN_ADDRESS.exec(token)?.[1] ?? token.trim())
  location.reload()
}

/** Forgets the token of a server that has ended. */
export const forgetToken = (): void => sessionStorage.removeItem(KEY)

interface Message {
  readonly asks?: boolean
  readonly token?: string
}

/** A channel has no target origin: only pages of this one hear it. */
const send = (channel: BroadcastChannel, message: Message): void =>
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  channel.postMessage(message)

function askTabs(): Promise<string | undefined> {
  const channel = new BroadcastChannel(CHANNEL)
  return new Promise((resolve) => {
    const end = (token?: string): void => {
      channel.close()
      clearTimeout(timer)
      if (token !== undefined) sessionStorage.setItem(KEY, token)
      resolve(token)
    }
    const timer = setTimeout(end, WAIT_MS)
    channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
      if (data.token !== undefined) end(data.token)
    })
    send(channel, { asks: true })
  })
}

function answerTabs(token: string): void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.asks) send(channel, { token })
  })
}
